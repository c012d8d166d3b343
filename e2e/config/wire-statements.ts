/** The statements that a client sends on one connection, read from the bytes that pass a proxy. */
export interface StatementReader {
    /** Takes the next bytes and returns the statements that are now complete, in their order. */
    read(chunk: Buffer): readonly string[];
}

/** A reader for the protocol of a database URL: PostgreSQL, or else MySQL and MariaDB. */
export function statementReader(protocol: string): StatementReader {
    return protocol.startsWith('postgres') ? new PostgresReader() : new MysqlReader();
}

/** Messages before this one have no type byte: the start packet, and a request for TLS. */
const PG_START_HEADER = 4;
const PG_HEADER = 5;
const PG_QUERY = 'Q';
const PG_PARSE = 'P';

class PostgresReader implements StatementReader {
    private rest = Buffer.alloc(0);
    private hasStarted = false;

    read(chunk: Buffer): readonly string[] {
        this.rest = Buffer.concat([this.rest, chunk]);
        const statements: string[] = [];
        for (;;) {
            const header = this.hasStarted ? PG_HEADER : PG_START_HEADER;
            if (this.rest.length < header) return statements;
            const end = header - 4 + this.rest.readUInt32BE(header - 4);
            if (this.rest.length < end) return statements;
            const type = this.hasStarted ? String.fromCharCode(this.rest[0]!) : '';
            const body = this.rest.subarray(header, end);
            this.rest = this.rest.subarray(end);
            this.hasStarted = true;
            if (type === PG_QUERY) statements.push(textUpToNull(body, 0));
            // The name of the statement precedes its text.
            if (type === PG_PARSE) statements.push(textUpToNull(body, body.indexOf(0) + 1));
        }
    }
}

function textUpToNull(body: Buffer, from: number): string {
    return body.toString('utf8', from, body.indexOf(0, from));
}

const MYSQL_HEADER = 4;
const COM_QUERY = 0x03;
const COM_STMT_PREPARE = 0x16;

class MysqlReader implements StatementReader {
    private rest = Buffer.alloc(0);

    read(chunk: Buffer): readonly string[] {
        this.rest = Buffer.concat([this.rest, chunk]);
        const statements: string[] = [];
        while (this.rest.length >= MYSQL_HEADER) {
            const end = MYSQL_HEADER + this.rest.readUIntLE(0, 3);
            if (this.rest.length < end) break;
            // Commands begin a new sequence; the responses to the handshake continue the server's.
            const isCommand = this.rest[3] === 0;
            const command = this.rest[MYSQL_HEADER];
            if (isCommand && (command === COM_QUERY || command === COM_STMT_PREPARE))
                statements.push(this.rest.toString('utf8', MYSQL_HEADER + 1, end));
            this.rest = this.rest.subarray(end);
        }
        return statements;
    }
}

/**
 * A statement without its values, so that two of the same shape have the same text: literals and parameters become `?`, and so do lists of
 * them.
 */
export function shapeOf(statement: string): string {
    return statement
        .replace(/'(?:[^'\\]|\\.|'')*'/gs, '?')
        .replace(/\$\d+/g, '?')
        .replace(/(?<![\w"`])[xX]\?/g, '?')
        .replace(/(?<![\w"`.])-?\d+(?:\.\d+)?(?![\w"`])/g, '?')
        .replace(/\b(SAVEPOINT) \w+/g, '$1 ?')
        .replace(/\s+/g, ' ')
        .replace(/\?(?:::[\w[\]]+)?/g, '?')
        .replace(/(?<=[(,] ?)(?:NULL|DEFAULT|true|false)(?= ?[,)])/g, '?')
        .replace(/\?(?: ?, ?\?)+/g, '?')
        .replace(/\( ?\? ?\)(?: ?, ?\( ?\? ?\))+/g, '(?)')
        .trim();
}
