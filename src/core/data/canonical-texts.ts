import { SMALL_STEPS, type YieldingTask } from '../concurrency/yielding-task';
import { isJsonObject, type JsonValue } from '../value/json';

/** Emits the canonical text of a value (`canonicalJson`) in chunks. */
export function* canonicalTexts(value: JsonValue | undefined, emit: (text: string) => void): YieldingTask<void> {
    const texts: string[] = [];
    const flush = (): void => {
        if (texts.length > 0) emit(texts.join(''));
        texts.length = 0;
    };
    yield* textsOf(value, texts, flush);
    flush();
}

/** The canonical text of a value as one string. */
export function* writingCanonically(value: JsonValue): YieldingTask<string> {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const texts: string[] = [];
    yield* canonicalTexts(value, text => texts.push(text));
    return texts.length === 1 ? texts[0]! : texts.join('');
}

function* textsOf(value: JsonValue | undefined, texts: string[], flush: () => void): YieldingTask<void> {
    if (texts.length >= SMALL_STEPS) {
        flush();
        yield;
    }
    if (Array.isArray(value)) {
        texts.push('[');
        for (const [index, element] of (value as readonly JsonValue[]).entries()) {
            if (index > 0) texts.push(',');
            yield* textsOf(element, texts, flush);
        }
        texts.push(']');
    } else if (isJsonObject(value)) {
        texts.push('{');
        for (const [index, key] of Object.keys(value).sort().entries()) {
            texts.push(`${index > 0 ? ',' : ''}${JSON.stringify(key)}:`);
            yield* textsOf(value[key], texts, flush);
        }
        texts.push('}');
    } else texts.push(value === undefined ? 'null' : JSON.stringify(value));
}
