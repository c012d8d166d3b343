import { flowError } from '../../core/errors/flow-error';

/** Names of the kinds of the standard's binary form, by their numbers. */
const NAMES: Readonly<Record<number, string>> = {
    1: 'POINT',
    2: 'LINESTRING',
    3: 'POLYGON',
    4: 'MULTIPOINT',
    5: 'MULTILINESTRING',
    6: 'MULTIPOLYGON',
    7: 'GEOMETRYCOLLECTION',
};
const MAX_DEPTH = 32;

/**
 * A geometry as MySQL and MariaDB keep it (the number of its reference system, then the standard's binary form) as the standard's text: `POINT(1 2)`, or
 * `SRID=4326;POINT(1 2)`. Numbers are as many digits as it takes.
 */
export function wellKnownText(bytes: Buffer): string {
    try {
        const srid = bytes.readUInt32LE(0);
        const text = new GeometryReader(bytes, 4).geometry(1);
        return srid === 0 ? text : `SRID=${srid};${text}`;
    } catch (error) {
        throw flowError(
            'SOURCE_MALFORMED',
            { where: 'a column of geometries', problem: 'its value is not a geometry' },
            { cause: error },
        );
    }
}

class GeometryReader {
    private isLittle = true;

    constructor(
        private readonly bytes: Buffer,
        private at: number,
    ) {}

    geometry(depth: number): string {
        const kind = this.head();
        return `${NAMES[kind]!}${this.body(kind, depth)}`;
    }

    private head(): number {
        this.isLittle = this.bytes.readUInt8(this.at++) === 1;
        const kind = this.whole();
        if (NAMES[kind] === undefined) throw new RangeError(`kind ${kind}`);
        return kind;
    }

    private body(kind: number, depth: number): string {
        if (depth > MAX_DEPTH) throw new RangeError('too deep');
        if (kind === 1) return `(${this.point()})`;
        if (kind === 2) return this.list(() => this.point());
        if (kind === 3) return this.list(() => this.list(() => this.point()));
        // The parts of these have a separate header.
        if (kind === 7) return this.list(() => this.geometry(depth + 1));
        return this.list(() => {
            const part = this.body(this.head(), depth + 1);
            return kind === 4 ? part.slice(1, -1) : part;
        });
    }

    private list(part: () => string): string {
        const count = this.whole();
        if (count > this.bytes.length) throw new RangeError(`count ${count}`);
        const parts = Array.from({ length: count }, part);
        return parts.length === 0 ? ' EMPTY' : `(${parts.join(',')})`;
    }

    private point(): string {
        return `${this.number()} ${this.number()}`;
    }

    private whole(): number {
        const value = this.isLittle ? this.bytes.readUInt32LE(this.at) : this.bytes.readUInt32BE(this.at);
        this.at += 4;
        return value;
    }

    private number(): number {
        const value = this.isLittle ? this.bytes.readDoubleLE(this.at) : this.bytes.readDoubleBE(this.at);
        this.at += 8;
        return value;
    }
}
