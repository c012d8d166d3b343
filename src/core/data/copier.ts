import type { JsonValue } from '../value/json';

type Fields = Record<string, JsonValue>;
type Copy = (data: Readonly<Fields>) => Fields;

const shared: Copy = data => ({ ...data });
/** Before that a place of its own would cost more than it saves. */
const OFTEN = 300;

/**
 * A function that copies an object. V8 remembers for every place in the code which shapes of objects have come by, and copies those at
 * once; but through one place for all fields of all pipelines come more than it remembers, and copying takes eight times as long. So a
 * copier that is used often gets a place of its own.
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

/** One field of an object that is put together from fields of another; both are fields of the objects themselves. */
export interface Piece {
    readonly name: string;
    readonly from: string;
}

const MAX_PIECES = 64;

/**
 * A function that puts objects together from these fields, or answers undefined when one of them has no value. As with copies, a place
 * of its own makes that several times faster: there every field has its line. Undefined for names that all objects inherit.
 */
export function assembler(pieces: readonly Piece[]): ((data: Readonly<Fields>) => Fields | undefined) | undefined {
    if (pieces.length > MAX_PIECES || pieces.some(({ from }) => from in Object.prototype)) return undefined;
    let count = 0;
    let own: ReturnType<typeof assembler>;
    return data => {
        if (own) return own(data);
        if (++count === OFTEN) own = ownAssembler(pieces);
        const out: Fields = {};
        for (const { name, from } of pieces) {
            const value = data[from];
            if (value === undefined) return undefined;
            out[name] = value;
        }
        return out;
    };
}

function ownAssembler(pieces: readonly Piece[]): ReturnType<typeof assembler> {
    const reads = pieces.map((_, i) => `const v${i} = data[from${i}]; if (v${i} === undefined) return undefined;`);
    const source = `data => { ${reads.join(' ')} return { ${pieces.map((_, i) => `[name${i}]: v${i}`).join(', ')} }; }`;
    const names = pieces.flatMap((_, i) => [`from${i}`, `name${i}`]);
    const make = placeOfItsOwn<(data: Readonly<Fields>) => Fields | undefined>(names, source);
    return make?.(...pieces.flatMap(({ from, name }) => [from, name]));
}

let places = 0;

/**
 * Compiles a function anew. Its text is ours alone: names of fields come in as arguments. The number makes it another text for V8, which
 * would know it again else. Undefined in a process that allows no code from text.
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
