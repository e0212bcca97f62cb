{{/* Names and labels. */}}
{{- define "althing.fullname" -}}
{{- if eq .Release.Name .Chart.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "althing.name" -}}
{{- printf "%s-%s" (include "althing.fullname" .root) .service }}
{{- end }}

{{- define "althing.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end }}

{{- define "althing.labels" -}}
{{ include "althing.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* The services: what is fixed about each. `ready` is the readiness probe: ingest redirects visitors while the log is
unavailable, and web serves pages while a service behind it is, so both are ready as long as they respond. */}}
{{- define "althing.services" -}}
ingest: {port: 8001, ready: /livez, public: true, http: true, engines: true}
command: {port: 8010, ready: /readyz, http: true, engines: true, outbound: true}
query: {port: 8011, ready: /readyz, http: true, engines: true, outbound: true}
web: {port: 8000, ready: /livez, public: true, http: true}
projectors: {port: 8012, ready: /readyz, engines: true}
{{- end }}

{{- define "althing.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* Names of all secret settings, as a JSON list. */}}
{{- define "althing.allSecretNames" -}}
{{- with .Values.secrets }}{{ ternary .existing.names (keys .create | sortAlpha) (ne .existing.name "") | toJson }}{{ end }}
{{- end }}

{{/* Names of the secret settings of a service, as a JSON list. web proves itself to the others and needs nothing else;
the first admin's password is for command alone. */}}
{{- define "althing.secretNames" -}}
{{- $names := list }}
{{- $unused := list }}
{{- if or (ne .service "command") (not .root.Values.adminEmail) }}{{ $unused = append $unused "ALTHING_ADMIN_PASSWORD" }}{{ end }}
{{- if not (hasPrefix "SASL" .root.Values.kafka.securityProtocol) }}{{ $unused = append $unused "KAFKA_SASL_PASSWORD" }}{{ end }}
{{- range include "althing.allSecretNames" .root | fromJsonArray }}
{{- if or (eq . "ALTHING_MASTER_KEY") (and (ne $.service "web") (not (has . $unused))) }}
{{- $names = append $names . }}
{{- end }}
{{- end }}
{{- toJson $names }}
{{- end }}

{{- define "althing.secretName" -}}
{{- if .root.Values.secrets.existing.name }}{{ .root.Values.secrets.existing.name }}
{{- else if eq .service "migrate" }}{{ include "althing.fullname" .root }}-migrate
{{- else }}{{ include "althing.fullname" .root }}{{ end }}
{{- end }}

{{/* Settings of a service as environment variables. */}}
{{- define "althing.environment" -}}
{{- $values := .root.Values }}
{{- $name := include "althing.fullname" .root }}
{{- $found := dict
  "ALTHING_DATA_DIR" "/var/lib/althing"
  "ALTHING_HOST" "0.0.0.0"
  "ALTHING_INTERNAL_HOST" "0.0.0.0"
  "ALTHING_COMMAND_URL" (printf "http://%s-command:8010" $name)
  "ALTHING_QUERY_URL" (printf "http://%s-query:8011" $name)
  "ALTHING_PUBLIC_URL" (required "Set publicUrl." $values.publicUrl)
  "ALTHING_TRACKING_URL" (required "Set trackingUrl." $values.trackingUrl)
  "ALTHING_CONTACT_EMAIL" (required "Set contactEmail." $values.contactEmail)
  "TRUSTED_PROXIES" (required "Set trustedProxies." (join "," $values.trustedProxies))
  "ALTHING_METRICS_NETWORKS" (join "," $values.metricsNetworks)
}}
{{- range $service, $fixed := include "althing.services" .root | fromYaml }}
{{- $setting := get (dict "ingest" "ALTHING_TRACKING_PORT" "web" "ALTHING_PORT") $service | default (printf "ALTHING_%s_PORT" (upper $service)) }}
{{- $_ := set $found $setting (toString $fixed.port) }}
{{- end }}
{{- if ne .service "web" }}
{{- $kafka := $values.kafka }}
{{- $_ := set $found "ALTHING_LOG" "kafka" }}
{{- $_ := set $found "KAFKA_BOOTSTRAP_SERVERS" (required "Set kafka.bootstrapServers." $kafka.bootstrapServers) }}
{{- $_ := set $found "KAFKA_SECURITY_PROTOCOL" $kafka.securityProtocol }}
{{- if hasPrefix "SASL" $kafka.securityProtocol }}
{{- $_ := set $found "KAFKA_SASL_MECHANISM" $kafka.saslMechanism }}
{{- $_ := set $found "KAFKA_SASL_USERNAME" $kafka.saslUsername }}
{{- end }}
{{- if $kafka.tls.secret }}
{{- $_ := set $found "KAFKA_SSL_CAFILE" "/run/kafka/ca.crt" }}
{{- if $kafka.tls.clientCertificate }}
{{- $_ := set $found "KAFKA_SSL_CERTFILE" "/run/kafka/tls.crt" }}
{{- $_ := set $found "KAFKA_SSL_KEYFILE" "/run/kafka/tls.key" }}
{{- end }}
{{- end }}
{{- with $values.clickhouse.cluster }}{{ $_ := set $found "CLICKHOUSE_CLUSTER" . }}{{ end }}
{{- end }}
{{- if and (eq .service "command") $values.adminEmail }}{{ $_ := set $found "ALTHING_ADMIN_EMAIL" $values.adminEmail }}{{ end }}
{{- if and (eq .service "command") $values.services.command.backupClaim }}{{ $_ := set $found "ALTHING_BACKUP_DIR" "/var/backups/althing" }}{{ end }}
{{- range include "althing.secretNames" . | fromJsonArray }}
{{- $_ := set $found (printf "%s_FILE" .) (printf "/run/secrets/%s" .) }}
{{- end }}
{{- range $setting, $value := $values.settings }}
{{- if or (hasKey $found $setting) (hasKey $found (printf "%s_FILE" $setting)) }}{{ fail (printf "settings.%s: the chart sets this one; use its own value." $setting) }}{{ end }}
{{- $_ := set $found $setting (toString $value) }}
{{- end }}
{{- range $setting := keys $found | sortAlpha }}
- name: {{ $setting }}
  value: {{ get $found $setting | quote }}
{{- end }}
{{- end }}

{{/* The pod of a service: one image, one container, nothing writable but its data and /tmp. */}}
{{- define "althing.pod" -}}
{{- $values := index .root.Values.services .service }}
{{- $fixed := get (include "althing.services" .root | fromYaml) .service | default dict }}
{{- $secrets := include "althing.secretNames" . | fromJsonArray }}
{{- if not $secrets }}{{ required "Set secrets.create or secrets.existing." "" }}{{ end }}
{{- if and .root.Values.adminEmail (not (has "ALTHING_ADMIN_PASSWORD" (include "althing.allSecretNames" .root | fromJsonArray))) }}
{{- fail "adminEmail needs secret ALTHING_ADMIN_PASSWORD." }}
{{- end }}
automountServiceAccountToken: false
{{- if ne .service "migrate" }}
serviceAccountName: {{ include "althing.fullname" .root }}
{{- end }}
# The variables of service links (ALTHING_COMMAND_PORT=tcp://…) have the names of settings.
enableServiceLinks: false
terminationGracePeriodSeconds: 45
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $fixed }}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "althing.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: {{ .service }}
    image: {{ include "althing.image" .root }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    args: {{ if eq .service "migrate" }}[migrate]{{ else }}[serve, {{ .service }}]{{ end }}
    env: {{- include "althing.environment" . | trim | nindent 6 }}
    {{- if $fixed }}
    ports:
      - name: http
        containerPort: {{ $fixed.port }}
    # Until it has been ready once: a rollout stops while an engine is unavailable.
    startupProbe:
      httpGet: {path: /readyz, port: http}
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 60
    livenessProbe:
      httpGet: {path: /livez, port: http}
      periodSeconds: 15
      timeoutSeconds: 5
      failureThreshold: 4
    readinessProbe:
      httpGet: {path: {{ $fixed.ready }}, port: http}
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 2
    {{- if $fixed.http }}
    lifecycle:
      preStop:
        # Until no proxy sends it anything new.
        sleep:
          seconds: 5
    {{- end }}
    {{- end }}
    resources: {{- toYaml $values.resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
    volumeMounts:
      - name: data
        mountPath: /var/lib/althing
      - name: temporary
        mountPath: /tmp
      - name: secrets
        mountPath: /run/secrets
        readOnly: true
      {{- if and (ne .service "web") .root.Values.kafka.tls.secret }}
      - name: kafka
        mountPath: /run/kafka
        readOnly: true
      {{- end }}
      {{- if and (eq .service "command") $values.backupClaim }}
      - name: backups
        mountPath: /var/backups/althing
      {{- end }}
volumes:
  {{- if ne .service "projectors" }}
  - name: data
    emptyDir:
      sizeLimit: 1Gi
  {{- end }}
  - name: temporary
    emptyDir:
      sizeLimit: 256Mi
  - name: secrets
    secret:
      secretName: {{ include "althing.secretName" . }}
      defaultMode: 0440
      items:
        {{- range $secrets }}
        - {key: {{ . }}, path: {{ . }}}
        {{- end }}
  {{- if and (ne .service "web") .root.Values.kafka.tls.secret }}
  - name: kafka
    secret:
      secretName: {{ .root.Values.kafka.tls.secret }}
      defaultMode: 0440
  {{- end }}
  {{- if and (eq .service "command") $values.backupClaim }}
  - name: backups
    persistentVolumeClaim:
      claimName: {{ $values.backupClaim }}
  {{- end }}
{{- end }}

{{- define "althing.podMetadata" -}}
labels: {{- include "althing.labels" . | nindent 2 }}
annotations:
  checksum/secrets: {{ .root.Values.secrets.create | toJson | sha256sum }}
  {{- with .root.Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
