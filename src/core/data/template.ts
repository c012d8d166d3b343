import { clause, type FactText } from '../errors/rendered';
import { flowError } from '../errors/flow-error';
import type { JsonObject, JsonValue } from '../value/json';
import { compilePath, type Path, pathProblem } from './path';

/** A value as text: null and missing values are empty, objects and lists are JSON. */
function textOf(value: JsonValue | undefined): string {
    if (value === undefined || value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Renders one record; undefined if a value is missing and must not be replaced by empty text. */
export type Render = (data: JsonObject) => string | undefined;

/** How values are inserted into templates whose text has a limit; both throw if it is exceeded. */
interface TemplateWriting {
    textOf(value: JsonValue): string;
    fits(length: number): void;
}
const UNBOUNDED: TemplateWriting = { textOf, fits: () => undefined };

interface Parts {
    /** The literal texts before, between and after the paths: one more than there are paths. */
    readonly literals: readonly string[];
    readonly paths: readonly string[];
}

/** What is wrong with a template's syntax, as the end of a sentence; undefined if it is valid. */
export function templateProblem(text: string): FactText | undefined {
    const parts = parse(text);
    if ('message' in parts) return parts;
    for (const path of parts.paths) {
        const problem = pathProblem(path);
        if (problem !== undefined) return clause`path in \${${path}} ${problem}`;
    }
    return undefined;
}

/**
 * Compiles a template with `${path}` placeholders. Values are inserted literally: a "${…}" or "$1" in the data stays as
 * it is. Objects and lists become JSON text.
 */
export function compileTemplate(text: string, missingAsEmpty: boolean, writing: TemplateWriting = UNBOUNDED): Render {
    const problem = templateProblem(text);
    const parts = parse(text);
    if (problem !== undefined || 'message' in parts) {
        throw flowError('BUG', { problem: `template: ${problem?.message}, and was compiled without a check` });
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
    return 'message' in parts ? [] : parts.paths;
}

function parse(text: string): Parts | FactText {
    const literals: string[] = [];
    const paths: string[] = [];
    let from = 0;
    for (;;) {
        const open = text.indexOf('${', from);
        if (open < 0) break;
        const close = text.indexOf('}', open);
        if (close < 0) return clause`"\${" at character ${open + 1} has no closing "}"`;
        literals.push(text.slice(from, open));
        paths.push(text.slice(open + 2, close).trim());
        from = close + 1;
    }
    literals.push(text.slice(from));
    return { literals, paths };
}
