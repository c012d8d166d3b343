import type { JsonValue } from '../value/json';

type Fields = Record<string, JsonValue>;
type Copy = (data: Readonly<Fields>) => Fields;

const shared: Copy = data => ({ ...data });
/** Below this number of calls, compiling a separate function costs more than it saves. */
const OFTEN = 300;

/**
 * Returns a function that copies objects. V8 caches the object shapes that each call site has seen and copies those
 * quickly. A single call site for all fields of all pipelines sees more shapes than the cache holds, and copying takes
 * eight times as long. So a copier that is used often gets a compiled function with a separate call site.
 */
export function copier(): Copy {
    let count = 0;
    let own: Copy | undefined;
    return data => {
        if (own) return own(data);
        if (++count === OFTEN) own = placeOfItsOwn<Copy>([], 'data => ({ ...data })')?.() ?? shared;
        return shared(data);
    };
}

/** One field of an object that is assembled from fields of another object. Both names are plain keys, not paths. */
interface JsonFragment {
    readonly name: string;
    readonly from: string;
}

const MAX_PIECES = 64;

/**
 * Returns a function that assembles objects from these fields, or returns undefined if one of them has no value. As
 * with copies, a compiled function with one line per field is several times faster. Undefined for names that all
 * objects inherit.
 */
export function assembler(
    jsonFragments: readonly JsonFragment[],
): ((data: Readonly<Fields>) => Fields | undefined) | undefined {
    if (jsonFragments.length > MAX_PIECES || jsonFragments.some(({ from }) => from in Object.prototype))
        return undefined;
    let count = 0;
    let own: ReturnType<typeof assembler>;
    return data => {
        if (own) return own(data);
        if (++count === OFTEN) own = ownAssembler(jsonFragments);
        const out: Fields = {};
        for (const { name, from } of jsonFragments) {
            const value = data[from];
            if (value === undefined) return undefined;
            out[name] = value;
        }
        return out;
    };
}

function ownAssembler(jsonFragments: readonly JsonFragment[]): ReturnType<typeof assembler> {
    const reads = jsonFragments.map(
        (_, i) => `const v${i} = data[from${i}]; if (v${i} === undefined) return undefined;`,
    );
    const source = `data => { ${reads.join(' ')} return { ${jsonFragments.map((_, i) => `[name${i}]: v${i}`).join(', ')} }; }`;
    const names = jsonFragments.flatMap((_, i) => [`from${i}`, `name${i}`]);
    const make = placeOfItsOwn<(data: Readonly<Fields>) => Fields | undefined>(names, source);
    return make?.(...jsonFragments.flatMap(({ from, name }) => [from, name]));
}

let places = 0;

/**
 * Compiles a new function. The source contains no user input: field names are passed as arguments. The counter makes
 * each source unique, because V8 would reuse an identical one. Undefined if the process forbids code generation from
 * strings.
 */
function placeOfItsOwn<F>(
    parameters: readonly string[],
    source: string,
): ((...args: readonly string[]) => F) | undefined {
    try {
        return new Function(...parameters, `/* ${++places} */ return ${source};`) as (...args: readonly string[]) => F;
    } catch (error) {
        if (error instanceof EvalError) return undefined;
        throw error;
    }
}
