import { clause, type FactText } from '../../core/errors/rendered';
/** The languages of the databases that are read. MariaDB speaks MySQL's. */
export type SqlDialect = 'postgres' | 'mysql' | 'sqlite';

/** A piece of a query. Of words and quoted names `text` is the name; of everything else it is what is written. */
export interface SqlToken {
    readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'parameter' | 'mark';
    readonly text: string;
    readonly at: number;
}

/** The tokens of a query, or why their ends cannot be determined, as the end of a sentence. */
type SqlTokens = { readonly tokens: readonly SqlToken[] } | { readonly problem: FactText };

const BLANK = /[ \t\r\n\f\v]+/y;
/** Whatever is not ASCII belongs to a name in all three languages, blanks of Unicode as well. */
const WORD: Readonly<Record<SqlDialect, RegExp>> = {
    postgres: /[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_$\u0080-\u{10ffff}]*/uy,
    mysql: /[A-Za-z_$\u0080-\u{10ffff}][A-Za-z0-9_$\u0080-\u{10ffff}]*/uy,
    sqlite: /[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_$\u0080-\u{10ffff}]*/uy,
};
/** Without what follows it: to MySQL `1.INTO` is a number and a word. */
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\u{10ffff}][A-Za-z0-9_\u0080-\u{10ffff}]*)?\$/uy;
const POSITION = /\$\d+/y;
/** After a text of PostgreSQL: another one in a new line continues it, under the same rules. */
const CONTINUED = /[ \t\f\v]*[\r\n][ \t\r\n\f\v]*'/y;

/** Where quotes begin, and how they end. */
interface Quote {
    readonly kind: 'text' | 'quoted';
    readonly end: string;
    readonly escapes: boolean;
}

/**
 * Sessions are configured to read texts and quotation marks in just this way (`standard_conforming_strings`,
 * `sql_mode`).
 */
const QUOTES: Readonly<Record<SqlDialect, Readonly<Record<string, Quote>>>> = {
    postgres: {
        "'": { kind: 'text', end: "'", escapes: false },
        '"': { kind: 'quoted', end: '"', escapes: false },
    },
    mysql: {
        "'": { kind: 'text', end: "'", escapes: true },
        '"': { kind: 'text', end: '"', escapes: true },
        '`': { kind: 'quoted', end: '`', escapes: false },
    },
    sqlite: {
        "'": { kind: 'text', end: "'", escapes: false },
        '"': { kind: 'quoted', end: '"', escapes: false },
        '`': { kind: 'quoted', end: '`', escapes: false },
        '[': { kind: 'quoted', end: ']', escapes: false },
    },
};

/**
 * Takes a query apart as its database would. Comments are rejected here, before the query is parsed: what parsers
 * leave out, MySQL executes inside `/*! … *\/`.
 */
export function sqlTokensOf(sql: string, dialect: SqlDialect): SqlTokens {
    if (/\p{Cs}/u.test(sql)) return { problem: clause`it holds half a character of Unicode` };
    const control = /[^\P{Cc}\t\r\n\f\v]/u.exec(sql);
    if (control) return { problem: clause`it holds the control character ${codePoint(control[0])}` };
    const lexer = new Lexer(sql, dialect);
    const tokens: SqlToken[] = [];
    for (;;) {
        const next = lexer.next();
        if (next === undefined) return { tokens };
        if ('message' in next) return { problem: next };
        tokens.push(next);
    }
}

function codePoint(character: string): string {
    return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

class Lexer {
    private at = 0;

    constructor(
        private readonly sql: string,
        private readonly dialect: SqlDialect,
    ) {}

    /** Undefined at the end, a text for what is wrong. */
    next(): SqlToken | FactText | undefined {
        this.take(BLANK);
        const { sql, dialect, at } = this;
        if (at >= sql.length) return undefined;
        const comment = this.comment();
        if (comment !== undefined)
            return clause`it holds a comment (${comment}); allowed: a query without comments, since databases may execute them`;
        const character = sql[at]!;
        const prefixed = this.prefixed();
        if (prefixed !== undefined) return prefixed;
        const quote = QUOTES[dialect][character];
        if (quote) return this.quoted(quote, 1);
        const word = this.take(WORD[dialect]);
        if (word !== undefined) return { kind: 'word', text: word, at };
        const parameter = this.parameter(character);
        if (parameter !== undefined) return parameter;
        const number = this.take(NUMBER);
        if (number !== undefined) return { kind: 'number', text: number, at };
        this.at++;
        return { kind: 'mark', text: character, at };
    }

    private comment(): string | undefined {
        const two = this.sql.slice(this.at, this.at + 2);
        if (two === '--' || two === '/*' || two === '*/') return two;
        return this.dialect === 'mysql' && two[0] === '#' ? '#' : undefined;
    }

    /** Texts that begin with a letter, and PostgreSQL's between dollars. */
    private prefixed(): SqlToken | FactText | undefined {
        const { sql, dialect, at } = this;
        if (dialect === 'postgres') {
            if (/^e'/i.test(sql.slice(at, at + 2))) return this.quoted({ kind: 'text', end: "'", escapes: true }, 2);
            if (/^u&"/i.test(sql.slice(at, at + 3)))
                return clause`it holds a name with escapes (U&"…"); allowed: names as they are`;
            if (/^u&'/i.test(sql.slice(at, at + 3))) return this.quoted(QUOTES.postgres["'"]!, 3);
            const tag = this.match(DOLLAR_TAG);
            if (tag !== undefined) return this.until(tag);
        }
        return undefined;
    }

    private until(tag: string): SqlToken | FactText {
        const { sql, at } = this;
        const end = sql.indexOf(tag, at + tag.length);
        if (end < 0) return clause`the text that begins with ${tag} has no end`;
        this.at = end + tag.length;
        return { kind: 'text', text: sql.slice(at, this.at), at };
    }

    private quoted(quote: Quote, opening: number): SqlToken | FactText {
        const { sql, at, dialect } = this;
        let i = at + opening;
        for (;;) {
            const character = sql[i];
            if (character === undefined)
                return clause`the quotation that begins with ${sql.slice(at, at + opening)} has no end`;
            if (quote.escapes && character === '\\') i += 2;
            else if (character !== quote.end) i++;
            else if (quote.end !== ']' && sql[i + 1] === quote.end) i += 2;
            else {
                this.at = i + 1;
                const goesOn = dialect === 'postgres' && quote.kind === 'text' ? this.match(CONTINUED) : undefined;
                if (goesOn === undefined) break;
                i = this.at + goesOn.length;
            }
        }
        const written = sql.slice(at, this.at);
        if (quote.kind === 'text') return { kind: 'text', text: written, at };
        const name = written.slice(1, -1).replaceAll(quote.end + quote.end, quote.end);
        return { kind: 'quoted', text: name, at };
    }

    private parameter(character: string): SqlToken | FactText | undefined {
        const { dialect, at } = this;
        if (dialect === 'postgres') {
            const position = this.take(POSITION);
            return position === undefined ? undefined : { kind: 'parameter', text: position, at };
        }
        if (character === '?') {
            this.at++;
            return { kind: 'parameter', text: '?', at };
        }
        if (character === '@' || (dialect === 'sqlite' && (character === ':' || character === '$')))
            return dialect === 'mysql'
                ? clause`it holds a variable (@); allowed: values as ?, with parameters`
                : clause`it holds a named parameter (${character}); allowed: ?, with parameters`;
        return undefined;
    }

    private match(pattern: RegExp): string | undefined {
        pattern.lastIndex = this.at;
        return pattern.exec(this.sql)?.[0];
    }

    private take(pattern: RegExp): string | undefined {
        const found = this.match(pattern);
        if (found === undefined || found === '') return undefined;
        this.at += found.length;
        return found;
    }
}
