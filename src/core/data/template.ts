import { flowError } from '../errors/flow-error';
import type { JsonObject, JsonValue } from '../value/json';
import { compilePath, type Path, pathProblem } from './path';

/** A value as it stands within a text: null and missing are empty, objects and lists are JSON. */
function textOf(value: JsonValue | undefined): string {
    if (value === undefined || value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Renders one record; undefined when a value is missing and that is not to be taken as empty text. */
export type Render = (data: JsonObject) => string | undefined;

/** How values are put in, for templates whose text has a limit; both throw where it is passed. */
export interface TemplateWriting {
    textOf(value: JsonValue): string;
    fits(length: number): void;
}
const UNBOUNDED: TemplateWriting = { textOf, fits: () => undefined };

interface Parts {
    /** One more than there are paths: what stands before, between and behind them. */
    readonly literals: readonly string[];
    readonly paths: readonly string[];
}

/** What is wrong with a template's spelling, as the end of a sentence; undefined when nothing is. */
export function templateProblem(text: string): string | undefined {
    const parts = parse(text);
    if (typeof parts === 'string') return parts;
    for (const path of parts.paths) {
        const problem = pathProblem(path);
        if (problem !== undefined) return `path in \${${path}} ${problem}`;
    }
    return undefined;
}

/**
 * Compiles a template with `${path}` placeholders. What the record holds is put in literally: a "${…}"
 * or "$1" in the data stays what it is. Objects and lists become JSON text.
 */
export function compileTemplate(text: string, missingAsEmpty: boolean, writing: TemplateWriting = UNBOUNDED): Render {
    const problem = templateProblem(text);
    const parts = parse(text);
    if (problem !== undefined || typeof parts === 'string') {
        throw flowError('BUG', { problem: `template: ${problem}, and was compiled without having been checked` });
    }
    const holes: ReadonlyArray<{ readonly path: Path; readonly after: string }> = parts.paths.map((path, i) => ({
        path: compilePath(path),
        after: parts.literals[i + 1]!,
    }));
    const start = parts.literals[0]!;
    return data => {
        let out = start;
        for (let i = 0; i < holes.length; i++) {
            const hole = holes[i]!;
            const value = hole.path.get(data);
            if (value !== undefined && value !== null) out += writing.textOf(value);
            else if (!missingAsEmpty) return undefined;
            out += hole.after;
            writing.fits(out.length);
        }
        return out;
    };
}

/** The paths of a template's placeholders. */
export function templatePaths(text: string): readonly string[] {
    const parts = parse(text);
    return typeof parts === 'string' ? [] : parts.paths;
}

function parse(text: string): Parts | string {
    const literals: string[] = [];
    const paths: string[] = [];
    let from = 0;
    for (;;) {
        const open = text.indexOf('${', from);
        if (open < 0) break;
        const close = text.indexOf('}', open);
        if (close < 0) return `"\${" at character ${open + 1} has no closing "}"`;
        literals.push(text.slice(from, open));
        paths.push(text.slice(open + 2, close).trim());
        from = close + 1;
    }
    literals.push(text.slice(from));
    return { literals, paths };
}
