import { readJsonText } from '../../core/data/json-text';
import type { JsonValue } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { wellKnownText } from './geometry';
import type { SentColumn } from './column-check';
import type { CursorColumn, SqlColumn } from './session';

/** A column as mysql2 describes it. */
export interface MysqlField {
    readonly name: string;
    readonly columnType: number;
    readonly characterSet: number;
    readonly columnLength: number;
    readonly decimals: number;
    readonly flags: number;
    /** Of MariaDB, whose JSON is a text otherwise. */
    readonly extendedFormat?: string | undefined;
}

/** Numbers of types in the protocol. */
const TYPE = {
    decimal: 0,
    tiny: 1,
    short: 2,
    long: 3,
    float: 4,
    double: 5,
    timestamp: 7,
    longlong: 8,
    int24: 9,
    date: 10,
    time: 11,
    datetime: 12,
    year: 13,
    bit: 16,
    vector: 242,
    json: 245,
    newDecimal: 246,
    geometry: 255,
} as const;
const WHOLE: readonly number[] = [TYPE.tiny, TYPE.short, TYPE.long, TYPE.longlong, TYPE.int24, TYPE.year];
const DECIMAL: readonly number[] = [TYPE.decimal, TYPE.newDecimal];
const UNSIGNED = 32;
/** Flags of ENUM and SET, whose values are sent as texts. */
const NUMBERED = 256 | 2048;
/** The character set of what are bytes, and of numbers. */
const BYTES = 63;
/** TEXT, BLOB, CHAR, VARCHAR, BINARY … */
const FIRST_TEXT = 249;

function isGeometry({ columnType }: MysqlField): boolean {
    return columnType === TYPE.geometry;
}

/** Numbers and texts are used as they come; which of the two a value is differs between kinds of statements. */
export function mysqlSent(field: MysqlField): SentColumn {
    const { name, columnType, columnLength, extendedFormat } = field;
    if (columnType === TYPE.json || extendedFormat === 'json') return { name, sent: 'json' };
    if (columnType === TYPE.bit) return { name, sent: `${columnLength} bits` };
    if ([TYPE.float, TYPE.datetime, TYPE.timestamp, TYPE.geometry, TYPE.vector].includes(columnType as never))
        return { name, sent: columnType };
    return { name, sent: isBytes(field) ? 'bytes' : 'value' };
}

/** A column as a reader sees it. */
export function mysqlColumn(field: MysqlField): SqlColumn {
    const toJson = fromCell(field);
    return {
        ...mysqlSent(field),
        // The driver would make objects of them that no longer distinguish a line from several points.
        isRaw: isGeometry(field),
        ...(toJson && { toJson: toJson as (cell: never) => JsonValue }),
        cursor: cursorOf(field),
    };
}

function isBytes({ columnType, characterSet }: MysqlField): boolean {
    return characterSet === BYTES && (columnType >= FIRST_TEXT || columnType === 15) && columnType !== TYPE.geometry;
}

function fromCell(field: MysqlField): ((cell: never) => JsonValue) | undefined {
    const { columnType, columnLength, extendedFormat } = field;
    if (columnType === TYPE.json || extendedFormat === 'json') return jsonOf;
    if (columnType === TYPE.float) return shortest;
    if (columnType === TYPE.datetime) return (text: string) => text.replace(' ', 'T');
    if (columnType === TYPE.timestamp) return (text: string) => `${text.replace(' ', 'T')}Z`;
    if (columnType === TYPE.bit) return (bits: Buffer) => bitsOf(bits, columnLength);
    if (columnType === TYPE.geometry) return (bytes: Buffer) => wellKnownText(bytes);
    if (columnType === TYPE.vector) return (bytes: Buffer) => bytes.toString('base64');
    return isBytes(field) ? (bytes: Buffer) => bytes.toString('base64') : undefined;
}

function jsonOf(text: string): JsonValue {
    const read = readJsonText(text);
    if ('value' in read) return read.value;
    throw flowError('SOURCE_MALFORMED', { where: 'a column of JSON', problem: `its value ${read.problem}` });
}

/**
 * The shortest number that is the same float of 32 bits: 0.1, while the same float as a double is
 * 0.10000000149011612.
 */
function shortest(number: number): number {
    for (let digits = 6; digits < 9; digits++) {
        const shorter = Number(number.toPrecision(digits));
        if (Math.fround(shorter) === number) return shorter;
    }
    return number;
}

function bitsOf(bytes: Buffer, length: number): string {
    const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('');
    return bits.slice(-length).padStart(length, '0');
}

function cursorOf(field: MysqlField): SqlColumn['cursor'] {
    const { columnType, flags, decimals } = field;
    if (columnType === TYPE.float)
        return {
            problem:
                'is a FLOAT, whose values do not compare equal to themselves; allowed: DOUBLE, DECIMAL, whole numbers, dates and texts',
        };
    if ([TYPE.json, TYPE.geometry, TYPE.bit, TYPE.vector].includes(columnType as never))
        return { problem: 'is of a type that has no order' };
    if ((flags & NUMBERED) > 0)
        return { problem: 'is an ENUM or a SET, whose values are sorted by their numbers and compared as texts' };
    if (WHOLE.includes(columnType)) return asText(`CAST(? AS ${(flags & UNSIGNED) > 0 ? 'UNSIGNED' : 'SIGNED'})`);
    if (DECIMAL.includes(columnType)) return asText(`CAST(? AS DECIMAL(65,${Math.min(decimals, 30)}))`);
    if (columnType === TYPE.double) return { ...asText('?'), bind: stored => Number(stored as string) };
    if (columnType === TYPE.date) return { ...asText('CAST(? AS DATE)'), moment: 'withoutZone' };
    if (columnType === TYPE.datetime) return { ...asText('CAST(? AS DATETIME(6))'), moment: 'withoutZone' };
    if (columnType === TYPE.timestamp) return { ...asText('CAST(? AS DATETIME(6))'), moment: 'withZone' };
    if (columnType === TYPE.time) return asText('CAST(? AS TIME(6))');
    if (!isBytes(field)) return asText('?');
    return {
        store: cell => (Buffer.isBuffer(cell) ? cell.toString('base64') : undefined),
        bind: stored => Buffer.from(stored as string, 'base64'),
        cast: () => '?',
    };
}

function asText(cast: string): CursorColumn {
    return {
        store: cell => (typeof cell === 'string' || typeof cell === 'number' ? String(cell) : undefined),
        bind: stored => String(stored as string),
        cast: () => cast,
    };
}
