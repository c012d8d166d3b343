import type { JsonValue } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';

/** The elements of a list, and the separator between them. */
interface ArrayForm {
    readonly element: (text: string) => JsonValue;
    readonly delimiter: string;
}

/** PostgreSQL's lists have at most six dimensions. */
const MAX_DEPTH = 6;

/** A list as PostgreSQL writes it, `{1,NULL,"a b"}`, also one within another and one whose first element has another number than 1 (`[0:1]={1,2}`). */
export function readArray(text: string, form: ArrayForm): JsonValue {
    const start = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
    const reader = new ArrayReader(text, start, form);
    const value = reader.list(1);
    if (!reader.isAtEnd) throw malformed();
    return value;
}

function malformed(): Error {
    return flowError('SOURCE_MALFORMED', { where: 'a column of lists', problem: 'its value is not a list' });
}

class ArrayReader {
    constructor(
        private readonly text: string,
        private at: number,
        private readonly form: ArrayForm,
    ) {}

    get isAtEnd(): boolean {
        return this.at === this.text.length;
    }

    list(depth: number): JsonValue {
        if (depth > MAX_DEPTH || this.text[this.at] !== '{') throw malformed();
        this.at++;
        const elements: JsonValue[] = [];
        if (this.text[this.at] === '}') {
            this.at++;
            return elements;
        }
        for (;;) {
            elements.push(this.text[this.at] === '{' ? this.list(depth + 1) : this.element());
            const next = this.text[this.at++];
            if (next === '}') return elements;
            if (next !== this.form.delimiter) throw malformed();
        }
    }

    private element(): JsonValue {
        if (this.text[this.at] === '"') return this.form.element(this.quoted());
        const { text, at, form } = this;
        while (this.at < text.length && text[this.at] !== form.delimiter && text[this.at] !== '}') this.at++;
        const plain = text.slice(at, this.at);
        return plain === 'NULL' ? null : form.element(plain);
    }

    private quoted(): string {
        const { text } = this;
        let value = '';
        for (this.at++; this.at < text.length; this.at++) {
            if (text[this.at] === '"') {
                this.at++;
                return value;
            }
            if (text[this.at] === '\\') this.at++;
            value += text[this.at] ?? '';
        }
        throw malformed();
    }
}
