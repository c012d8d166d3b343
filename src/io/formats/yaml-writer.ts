import { Document, Scalar } from 'yaml';
import { stringifyString } from 'yaml/util';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { SMALL_STEPS, type YieldingTask } from '../../core/concurrency/yielding-task';

/** Lines that begin or end with spaces, or are nothing else, do not survive as indented lines in every parser. */
const SPACES_AT_ENDS = /^\s|[ \t](?:\n|$)|\n{2}$/;
const STEP = '  ';
/** YAML allows no longer key on the line of its value. */
const MAX_KEY = 1024;

/**
 * Writes plain JSON as YAML 1.2: the same value always gives the same text, and `readingYaml` reads the same value
 * from it. Lists and objects are written here, bit by bit; the library would first build a tree of all of them,
 * without yielding to other work. The library writes the texts.
 */
export function* writingYaml(value: JsonValue): YieldingTask<string> {
    const writer = new Writer();
    yield* writer.value(value, '');
    return writer.text();
}

/** How a text is written: the spaces before its further lines, and whether it is a key. */
interface Place {
    readonly indent: string;
    readonly isKey?: boolean;
}

class Writer {
    private readonly texts = new Texts();
    private parts: string[] = [];
    private readonly written: string[] = [];
    private count = 0;

    text(): string {
        this.flush();
        return `${this.written.join('')}\n`;
    }

    *value(value: JsonValue, indent: string): YieldingTask<void> {
        if (++this.count % SMALL_STEPS === 0) {
            this.flush();
            yield;
        }
        if (isJsonObject(value)) yield* this.object(Object.entries(value), indent);
        else if (Array.isArray(value)) yield* this.list(value as readonly JsonValue[], indent);
        else if (typeof value === 'string') this.parts.push(this.texts.written(value, { indent }));
        else this.parts.push(Object.is(value, -0) ? '-0' : JSON.stringify(value));
    }

    private *list(list: readonly JsonValue[], indent: string): YieldingTask<void> {
        if (list.length === 0) this.parts.push('[]');
        for (const [index, element] of list.entries()) {
            this.parts.push(index === 0 ? '- ' : `\n${indent}- `);
            yield* this.value(element, indent + STEP);
        }
    }

    private *object(fields: ReadonlyArray<readonly [string, JsonValue]>, indent: string): YieldingTask<void> {
        if (fields.length === 0) this.parts.push('{}');
        const inner = indent + STEP;
        for (const [index, [name, value]] of fields.entries()) {
            const key = this.texts.written(name, { indent: inner, isKey: true });
            const isLong = key.length > MAX_KEY;
            if (index > 0) this.parts.push(`\n${indent}`);
            this.parts.push(
                isLong ? `? ${key}\n${indent}:` : `${key}:`,
                !isLong && hasLines(value) ? `\n${inner}` : ' ',
            );
            yield* this.value(value, inner);
        }
    }

    private flush(): void {
        this.written.push(this.parts.join(''));
        this.parts = [];
    }
}

function hasLines(value: JsonValue): boolean {
    if (Array.isArray(value)) return value.length > 0;
    return isJsonObject(value) && Object.keys(value).length > 0;
}

/** The library's way with texts: plain, in quotes, or as lines. */
class Texts {
    private readonly context = {
        actualString: true,
        // Texts such as no, 012 and 2026-01-01 are quoted, since other programs still read YAML 1.1.
        doc: new Document(null, { version: '1.2', schema: 'core', compat: 'yaml-1.1' }),
        indentStep: STEP,
        inFlow: null,
        options: {
            blockQuote: 'literal',
            commentString: (comment: string) => comment,
            defaultKeyType: null,
            defaultStringType: Scalar.PLAIN,
            doubleQuotedAsJSON: true,
            lineWidth: 0,
            singleQuote: null,
        },
    };

    written(text: string, { indent, isKey = false }: Place): string {
        const scalar = new Scalar(text);
        if (text.includes('\n') && SPACES_AT_ENDS.test(text)) scalar.type = Scalar.QUOTE_DOUBLE;
        const context = { ...this.context, indent, implicitKey: isKey };
        return stringifyString(scalar, context as unknown as Parameters<typeof stringifyString>[1]);
    }
}
