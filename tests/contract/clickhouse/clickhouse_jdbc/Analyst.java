// Run by tests/api/sql/test_clients.py: ClickHouse's JDBC driver as Metabase and DBeaver use it, with an analyst's name and
// token, or another user of the port; prints one JSON object.
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

public class Analyst {
  private static final Map<String, Object> FOUND = new LinkedHashMap<>();

  public static void main(String[] arguments) throws Exception {
    Class.forName("com.clickhouse.jdbc.Driver");
    Properties properties = new Properties();
    properties.setProperty("user", arguments[1]);
    properties.setProperty("password", arguments[2]);
    // As Metabase connects.
    properties.setProperty("product_name", "metabase/v1.56.0");
    properties.setProperty("jdbc_ignore_unsupported_values", "true");
    properties.setProperty("jdbc_schema_term", "schema");
    properties.setProperty("max_open_connections", "100");
    properties.setProperty("http_connection_provider", "HTTP_URL_CONNECTION");
    if (arguments[3].equals("compressed")) properties.setProperty("compress", "true");
    try (Connection connection = DriverManager.getConnection("jdbc:clickhouse://" + arguments[0] + "/althing", properties)) {
      metadata(connection.getMetaData(), arguments[4]);
      statements(connection, arguments[4]);
    }
    System.out.println(json(FOUND));
  }

  private static void metadata(DatabaseMetaData metadata, String table) throws SQLException {
    FOUND.put("product", metadata.getDatabaseProductName());
    FOUND.put("version", metadata.getDatabaseProductVersion());
    FOUND.put("catalogs", texts(metadata.getCatalogs(), 1).size());
    FOUND.put("schemas", texts(metadata.getSchemas(), 1));
    FOUND.put("table_types", texts(metadata.getTableTypes(), 1).size() > 1);
    FOUND.put("tables", texts(metadata.getTables(null, "althing", "%", null), 3));
    FOUND.put("columns", texts(metadata.getColumns(null, "althing", table, "%"), 4));
    FOUND.put("primary_keys", texts(metadata.getPrimaryKeys(null, "althing", table), 4));
    FOUND.put("imported_keys", texts(metadata.getImportedKeys(null, "althing", table), 4));
    FOUND.put("indexes", texts(metadata.getIndexInfo(null, "althing", table, false, false), 6));
    FOUND.put("types", texts(metadata.getTypeInfo(), 1).contains("UUID"));
    FOUND.put("functions", texts(metadata.getFunctions(null, null, "uniqExact"), 3));
    FOUND.put("client_properties", texts(metadata.getClientInfoProperties(), 1).size() > 0);
  }

  private static void statements(Connection connection, String table) throws SQLException {
    FOUND.put("valid", connection.isValid(10));
    try (Statement statement = connection.createStatement()) {
      FOUND.put("clicks", texts(statement.executeQuery("SELECT count() FROM `althing`.`" + table + "`"), 1));
      String values = "SELECT toInt64(-7) AS i, 1.5 AS f, 'text' AS s, toDate('2026-11-29') AS d,"
          + " toDateTime('2026-11-29 10:00:00', 'UTC') AS dt, toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS u,"
          + " CAST(NULL AS Nullable(String)) AS n, [1, 2] AS a, toLowCardinality('low') AS l, toDecimal64(12.5, 2) AS c";
      try (ResultSet rows = statement.executeQuery(values)) {
        rows.next();
        List<String> cells = new ArrayList<>();
        for (int place = 1; place <= rows.getMetaData().getColumnCount(); place++) cells.add(rows.getString(place));
        FOUND.put("values", cells);
      }
      int count = 0;
      try (ResultSet rows = statement.executeQuery("SELECT arrayJoin(range(200000)) AS n")) {
        while (rows.next()) count++;
      }
      FOUND.put("rows", count);
    }
    try (Statement statement = connection.createStatement()) {
      statement.setMaxRows(10);
      statement.setQueryTimeout(300);
      FOUND.put("first_rows", texts(statement.executeQuery("SELECT arrayJoin(range(200000)) AS n"), 1).size());
    }
    String bound = "SELECT count() AS n FROM " + table + " WHERE country = ? AND occurred_at <= ?";
    try (PreparedStatement statement = connection.prepareStatement(bound)) {
      FOUND.put("described", statement.getMetaData().getColumnName(1));
      statement.setString(1, "DE");
      statement.setTimestamp(2, Timestamp.from(Instant.now().plusSeconds(3600)));
      FOUND.put("bound", texts(statement.executeQuery(), 1));
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO events VALUES (1)");
      FOUND.put("refused", 0);
    } catch (SQLException refusal) {
      FOUND.put("refused", refusal.getErrorCode());
    }
  }

  private static List<String> texts(ResultSet rows, int place) throws SQLException {
    List<String> found = new ArrayList<>();
    try (rows) {
      while (rows.next()) found.add(rows.getString(place));
    }
    return found;
  }

  private static String json(Object value) {
    if (value instanceof Map<?, ?> map) {
      List<String> parts = new ArrayList<>();
      map.forEach((name, one) -> parts.add(json(name) + ":" + json(one)));
      return "{" + String.join(",", parts) + "}";
    }
    if (value instanceof List<?> list) return "[" + String.join(",", list.stream().map(Analyst::json).toList()) + "]";
    if (value instanceof String text) return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    return String.valueOf(value);
  }
}
