import { clause } from '../errors/rendered';
import type { Advice } from './base';
import type { JsonValue } from '../value/json';

const BRACES = /\{\{([^{}]+)\}\}/;
const DOLLAR = /\$\{([^{}]+)\}/;

/** Warns of `{{x}}` in text whose placeholders are written `${x}`. */
export function adviseDollars(path: string, text: string | undefined): readonly Advice[] {
    const [found, name] = BRACES.exec(text ?? '') ?? [];
    return found === undefined ? [] : [mistake(path, found, `\${${name!.trim()}}`)];
}

/** Warns of `${x}` in text whose placeholders are written `{{x}}`, anywhere in a value. */
export function adviseBraces(path: string, value: JsonValue | undefined): readonly Advice[] {
    if (typeof value === 'string') {
        const [found, name] = DOLLAR.exec(value) ?? [];
        return found === undefined ? [] : [mistake(path, found, `{{${name!.trim()}}}`)];
    }
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => adviseBraces(`${path}.${key}`, inner as JsonValue));
}

function mistake(path: string, found: string, meant: string): Advice {
    return {
        code: 'LIKELY_MISTAKE',
        path,
        problem: clause`has ${found}, which stays as it is; a placeholder is ${meant} here`,
    };
}
