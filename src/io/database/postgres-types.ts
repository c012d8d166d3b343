import { readJsonText } from '../../core/data/json-text';
import type { JsonValue } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { readArray } from './postgres-array';
import type { PostgresField } from './postgres-portal';
import type { SentColumn } from './column-check';
import type { CursorColumn, SqlColumn } from './session';

/** Of a type that is not built in, from `pg_type`. */
export interface UnknownType {
    /** Of its elements, where it is a list; 0 otherwise. */
    readonly element: number;
    readonly delimiter: string;
}

/** Converts a cell's text to a JSON value. Undefined: the text is the value. */
type FromText = ((text: string) => JsonValue) | undefined;

/** Ids of types that are the same in every PostgreSQL. */
const OID = {
    bool: 16,
    bytea: 17,
    int8: 20,
    int2: 21,
    int4: 23,
    oid: 26,
    json: 114,
    float4: 700,
    float8: 701,
    date: 1082,
    timestamp: 1114,
    timestamptz: 1184,
    jsonb: 3802,
} as const;

/** The lists of built-in types, with the type of their elements. All others are looked up on the server. */
const ELEMENT_OF: Readonly<Record<number, number>> = {
    1000: OID.bool,
    1001: OID.bytea,
    1002: 18,
    1003: 19,
    1005: OID.int2,
    1007: OID.int4,
    1009: 25,
    1014: 1042,
    1015: 1043,
    1016: OID.int8,
    1021: OID.float4,
    1022: OID.float8,
    1028: OID.oid,
    199: OID.json,
    3807: OID.jsonb,
    1182: OID.date,
    1115: OID.timestamp,
    1185: OID.timestamptz,
    1183: 1083,
    1270: 1266,
    1187: 1186,
    1231: 1700,
    2951: 2950,
    1041: 869,
    651: 650,
    1040: 829,
    775: 774,
    791: 790,
    143: 142,
    1561: 1560,
    1563: 1562,
    3905: 3904,
    3907: 3906,
    3909: 3908,
    3911: 3910,
    3913: 3912,
    3927: 3926,
};
const MOMENT = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(\+00)?$/;

const SCALARS: Readonly<Record<number, FromText>> = {
    [OID.bool]: text => text === 't',
    [OID.int2]: Number,
    [OID.int4]: Number,
    [OID.oid]: Number,
    [OID.float4]: numberOrText,
    [OID.float8]: numberOrText,
    // The session is in UTC and writes them in ISO's order; what has no number (infinity, BC) stays as it is.
    [OID.timestamp]: text => text.replace(MOMENT, '$1T$2'),
    [OID.timestamptz]: text => text.replace(MOMENT, '$1T$2Z'),
    [OID.bytea]: text => Buffer.from(text.slice(2), 'hex').toString('base64'),
    [OID.json]: jsonOf,
    [OID.jsonb]: jsonOf,
};

/** Built-in types whose text is used as it is. All others are looked up on the server, since they may be lists. */
const PLAIN: ReadonlySet<number> = new Set([
    18,
    19,
    25,
    142,
    600,
    603,
    604,
    650,
    705,
    774,
    790,
    829,
    869,
    1042,
    1043,
    1082,
    1083,
    1186,
    1266,
    1560,
    1562,
    1700,
    2278,
    2950,
    3614,
    3904,
    3906,
    3908,
    3910,
    3912,
    3926,
    4451,
    OID.int8,
]);

function numberOrText(text: string): JsonValue {
    const number = Number(text);
    return Number.isFinite(number) ? number : text;
}

function jsonOf(text: string): JsonValue {
    const read = readJsonText(text);
    if ('value' in read) return read.value;
    throw flowError('SOURCE_MALFORMED', { where: 'a column of JSON', problem: `its value ${read.problem}` });
}

/** Which of these types only the server knows. */
export function unknownTypes(oids: readonly number[]): readonly number[] {
    const isKnown = (oid: number): boolean =>
        oid === 0 || PLAIN.has(oid) || Object.hasOwn(SCALARS, oid) || Object.hasOwn(ELEMENT_OF, oid);
    return [...new Set(oids)].filter(oid => !isKnown(oid));
}

/** By its type, in which its texts are written. */
export function postgresSent({ name, dataTypeID }: PostgresField): SentColumn {
    return { name, sent: dataTypeID };
}

/**
 * A column as a reader sees it, its type by its id. `known` has all of `unknownTypes`, and the elements of those that
 * are lists.
 */
export function postgresColumn(field: PostgresField, known: ReadonlyMap<number, UnknownType>): SqlColumn {
    const { dataTypeID } = field;
    const toJson = fromText(dataTypeID, known);
    return {
        ...postgresSent(field),
        ...(toJson && { toJson: toJson as (cell: never) => JsonValue }),
        cursor: cursorOf(dataTypeID),
    };
}

function fromText(oid: number, known: ReadonlyMap<number, UnknownType>): FromText {
    const type = known.get(oid);
    const element = ELEMENT_OF[oid] ?? type?.element ?? 0;
    if (element === 0) return SCALARS[oid];
    const inner = fromText(element, known);
    return text => readArray(text, { element: inner ?? (one => one), delimiter: type?.delimiter ?? ',' });
}

/** The server reads a parameter as the type of the column that it is compared with: so the text itself is exact, and the index is used. */
function cursorOf(oid: number): CursorColumn {
    return {
        store: cell => (typeof cell === 'string' ? cell : undefined),
        bind: stored => String(stored as string),
        cast: placeholder => placeholder,
        ...(oid === OID.timestamptz && { moment: 'withZone' as const }),
        ...((oid === OID.timestamp || oid === OID.date) && { moment: 'withoutZone' as const }),
    };
}
