"""Functions that analysts may call: those that compute on their arguments alone. All others are rejected.

Excluded are functions that read (files, dictionaries, other tables, models, the server), wait, or take a function's
or a table's name as text.
"""

from __future__ import annotations

from typing import Final


def names(text: str) -> frozenset[str]:
    """The words of `text`, lower case."""
    return frozenset(text.lower().split())


_AGGREGATES: Final = (
    "count sum sumWithOverflow sumKahan min max avg avgWeighted any anyLast anyHeavy argMin argMax uniq uniqExact"
    " uniqCombined uniqCombined64 uniqHLL12 uniqTheta uniqUpTo groupArray groupUniqArray groupArraySorted groupBitAnd"
    " groupBitOr groupBitXor groupConcat quantile quantiles quantileExact quantilesExact quantileTDigest"
    " quantilesTDigest quantileTiming quantileDeterministic quantileExactWeighted median medianExact varPop varSamp"
    " stddevPop stddevSamp covarPop covarSamp corr skewPop skewSamp kurtPop kurtSamp entropy topK topKWeighted sumMap"
    " minMap maxMap histogram windowFunnel retention sequenceMatch sequenceCount deltaSum deltaSumTimestamp"
    " simpleLinearRegression boundingRatio first_value last_value singleValueOrNull studentTTest welchTTest"
    " mannWhitneyUTest cramersV maxIntersections exponentialMovingAverage"
)

AGGREGATES: Final = names(_AGGREGATES)

COMBINATORS: Final = ("if", "array", "distinct", "ornull", "ordefault", "merge", "state", "foreach", "map",
                      "simplestate", "argmin", "argmax")  # fmt: skip

_WINDOWS: Final = "row_number rank dense_rank percent_rank cume_dist ntile lag lead lagInFrame leadInFrame nth_value"

_SCALARS: Final = (
    # conditions, nulls, comparison, logic
    "if multiIf ifNull nullIf coalesce isNull isNotNull isNaN isFinite isInfinite assumeNotNull toNullable greatest"
    " least equals notEquals less greater lessOrEquals greaterOrEquals and or not xor isZeroOrNull transform identity"
    # arithmetic
    " plus minus multiply divide intDiv intDivOrZero modulo moduloOrZero positiveModulo negate abs sign gcd lcm"
    " round roundBankers roundDown roundToExp2 roundDuration roundAge floor ceil ceiling trunc truncate exp exp2 exp10"
    " log ln log2 log10 log1p sqrt cbrt pow power sin cos tan asin acos atan atan2 pi e degrees radians width_bucket"
    " bitAnd bitOr bitXor bitNot bitShiftLeft bitShiftRight bitTest bitCount"
    # conversion
    " toInt8 toInt16 toInt32 toInt64 toInt128 toInt256 toUInt8 toUInt16 toUInt32 toUInt64 toUInt128 toUInt256 toFloat32"
    " toFloat64 toDecimal32 toDecimal64 toDecimal128 toBool toString toFixedString toUUID toUUIDOrNull toUUIDOrZero"
    " toInt64OrNull toInt64OrZero toInt32OrNull toInt32OrZero toUInt64OrNull toUInt64OrZero toFloat64OrNull"
    " toFloat64OrZero toDateOrNull toDateTimeOrNull toDecimal64OrNull toDecimal64OrZero toTypeName accurateCast"
    " accurateCastOrNull reinterpretAsUInt64 parseDateTime parseDateTimeBestEffort parseDateTimeBestEffortOrNull"
    " toLowCardinality"
    # time
    " now now64 today yesterday toDate toDate32 toDateTime toDateTime64 toYear toQuarter toMonth toDayOfYear"
    " toDayOfMonth toDayOfWeek toHour toMinute toSecond toMillisecond toISOYear toISOWeek toWeek toYearWeek toMonday"
    " toUnixTimestamp toUnixTimestamp64Milli fromUnixTimestamp fromUnixTimestamp64Milli toStartOfYear toStartOfISOYear"
    " toStartOfQuarter toStartOfMonth toStartOfWeek toStartOfDay toStartOfHour toStartOfMinute toStartOfSecond"
    " toStartOfFiveMinutes toStartOfTenMinutes toStartOfFifteenMinutes toStartOfInterval toLastDayOfMonth"
    " toLastDayOfWeek toTime toTimeZone timezoneOf toYYYYMM toYYYYMMDD toYYYYMMDDhhmmss dateDiff date_diff age"
    " dateAdd date_add dateSub date_sub dateTrunc date_trunc dateName monthName addYears addQuarters addMonths addWeeks"
    " addDays addHours addMinutes addSeconds subtractYears subtractQuarters subtractMonths subtractWeeks subtractDays"
    " subtractHours subtractMinutes subtractSeconds toIntervalYear toIntervalQuarter toIntervalMonth toIntervalWeek"
    " toIntervalDay toIntervalHour toIntervalMinute toIntervalSecond formatDateTime formatDateTimeInJodaSyntax"
    " timeSlot timeSlots tumble makeDate makeDateTime year quarter month day dayofmonth dayofweek dayofyear hour minute"
    " second timestamp"
    # text
    " length lengthUTF8 char_length empty notEmpty lower upper lowerUTF8 upperUTF8 initcap reverse reverseUTF8 concat"
    " concatWithSeparator substring substr mid substringUTF8 substringIndex left right leftUTF8 rightUTF8 leftPad"
    " rightPad lpad rpad trim ltrim rtrim trimLeft trimRight trimBoth repeat space startsWith endsWith position"
    " positionCaseInsensitive positionUTF8 locate like ilike notLike notILike match multiSearchAny multiMatchAny"
    " extract extractAll extractAllGroupsVertical replace replaceOne replaceAll replaceRegexpOne replaceRegexpAll"
    " translate splitByChar splitByString splitByRegexp splitByWhitespace splitByNonAlpha alphaTokens tokens ngrams"
    " countSubstrings countMatches format printf hex unhex base64Encode base64Decode char ascii soundex isValidUTF8"
    " levenshteinDistance damerauLevenshteinDistance jaroWinklerSimilarity formatReadableSize formatReadableQuantity"
    " formatReadableTimeDelta formatReadableDecimalSize"
    # addresses
    " protocol domain domainWithoutWWW topLevelDomain firstSignificantSubdomain cutToFirstSignificantSubdomain path"
    " pathFull queryString fragment queryStringAndFragment extractURLParameter extractURLParameters"
    " extractURLParameterNames URLHierarchy URLPathHierarchy cutQueryString cutURLParameter decodeURLComponent"
    " encodeURLComponent"
    # JSON
    " JSONHas JSONLength JSONType JSONExtractString JSONExtractInt JSONExtractUInt JSONExtractFloat JSONExtractBool"
    " JSONExtractRaw JSONExtractArrayRaw JSONExtractKeysAndValues JSONExtractKeysAndValuesRaw JSONExtractKeys"
    " JSONExtract JSON_VALUE JSON_QUERY JSON_EXISTS isValidJSON toJSONString simpleJSONExtractString"
    " simpleJSONExtractInt simpleJSONHas"
    # arrays, maps, tuples
    " array arrayJoin arrayConcat arrayElement has hasAll hasAny hasSubstr indexOf countEqual arrayEnumerate"
    " arrayEnumerateUniq arrayPopBack arrayPopFront arrayPushBack arrayPushFront arraySlice arrayResize arraySort"
    " arrayReverseSort arrayPartialSort arrayUniq arrayDistinct arrayDifference arrayIntersect arrayReverse"
    " arrayFlatten arrayCompact arrayZip arrayMap arrayFilter arrayExists arrayAll arrayCount arrayFirst"
    " arrayFirstOrNull arrayLast"
    " arrayLastOrNull arrayFirstIndex arrayLastIndex arrayMin arrayMax arraySum arrayAvg arrayProduct arrayCumSum"
    " arrayCumSumNonNegative arrayFill arrayReverseFill arraySplit arrayFold arrayStringConcat arrayWithConstant"
    " arrayRotateLeft arrayRotateRight arrayShiftLeft arrayShiftRight range emptyArrayString emptyArrayUInt64"
    " emptyArrayInt64 map mapKeys mapValues mapContains mapAdd mapSubtract mapFilter mapApply mapExists mapAll"
    " mapFromArrays tuple tupleElement untuple tupleConcat tupleToNameValuePairs"
    # hashes and identity
    " cityHash64 sipHash64 xxHash32 xxHash64 murmurHash3_64 halfMD5 MD5 SHA1 SHA256 farmHash64 intHash32 intHash64"
    " finalizeAggregation runningAccumulate rand rand32 rand64 randUniform randNormal rowNumberInAllBlocks bar"
    # as programs for charts write them
    " parseDateTime64BestEffort parseDateTime64BestEffortOrNull parseDateTime64BestEffortOrZero"
    " parseDateTimeBestEffortOrZero parseDateTimeBestEffortUS parseDateTimeOrNull toDateTime64OrNull toDateTimeOrZero"
    " toDateOrZero toDate32OrNull toFloat32OrNull toFloat32OrZero toInt8OrNull toInt16OrNull toUInt8OrNull"
    " toUInt16OrNull toUInt32OrNull toUInt32OrZero toStringCutToZero accurateCastOrDefault timeZone timeZoneOffset"
    " toTimezone toRelativeYearNum toRelativeQuarterNum toRelativeMonthNum toRelativeWeekNum toRelativeDayNum"
    " toRelativeHourNum toRelativeMinuteNum toRelativeSecondNum toStartOfMillisecond toUnixTimestamp64Micro"
    " toUnixTimestamp64Nano toUnixTimestamp64Second fromUnixTimestamp64Micro fromUnixTimestamp64Nano"
    " fromUnixTimestamp64Second timestampDiff timestamp_diff timestampAdd timestamp_add timestampSub timestamp_sub"
    " addMilliseconds subtractMilliseconds toIntervalMillisecond fromDaysSinceYearZero toDaysSinceYearZero"
    " from_unixtime date_format dateDiff lcase ucase character_length octet_length positionCaseInsensitiveUTF8"
    " countSubstringsCaseInsensitive startsWithUTF8 endsWithUTF8 startsWithCaseInsensitive endsWithCaseInsensitive"
    " multiSearchFirstIndex multiSearchAnyCaseInsensitive extractGroups extractAllGroups regexpExtract"
    " tryBase64Decode arrayElementOrNull"
    # called by clients when they connect; the validator answers the last five
    " version revision timezone serverTimezone currentDatabase database currentUser user displayName"
)  # fmt: skip

SCALARS: Final = names(f"{_SCALARS} {_WINDOWS}")
SPELLED: Final = sorted(f"{_SCALARS} {_WINDOWS} {_AGGREGATES}".split(), key=str.lower)
"""All functions as ClickHouse spells them."""

TAKES_FUNCTION: Final = names(
    "arraymap arrayfilter arrayexists arrayall arraycount arrayfirst arrayfirstornull arraylast arraylastornull"
    " arrayfirstindex arraylastindex arraymin arraymax arraysum arrayavg arrayproduct arraycumsum"
    " arraycumsumnonnegative arraysort arrayreversesort arraypartialsort arrayfill arrayreversefill arraysplit"
    " arrayfold mapfilter mapapply mapexists mapall"
)
"""Functions whose first argument may be another function; that must be written out, not named."""


def is_allowed(name: str) -> bool:
    """Returns whether a function of this name may be called, in whatever case it is written; combinators included."""
    lowered = name.lower()
    return lowered in SCALARS or is_aggregate(lowered)


def is_aggregate(lowered: str) -> bool:
    if lowered in AGGREGATES:
        return True
    return any(
        lowered.endswith(suffix) and is_aggregate(lowered[: -len(suffix)])
        for suffix in COMBINATORS
        if len(lowered) > len(suffix)
    )
