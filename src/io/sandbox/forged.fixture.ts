import type { JsonObject } from '../../core/value/json';

/** The result of a script: data, exactly, or an error of the script, by its message. */
export type Expected<T> = T | RegExp;

/** A call that does not end is given a second, every other one all the time that a busy machine may need. */
export const LATE_RESULT = /did not end within/;
export const timeoutFor = (told: unknown): number => (told === LATE_RESULT ? 1_000 : 60_000);

/** What every record looks like that the ways of this file are tried on, and the one that they are tried with. */
export const GIVEN: readonly JsonObject[] = [{ id: 'A' }, { id: 'B', n: 1 }, { id: 'C' }];

export const PLAIN = { id: 'B', n: 1 };
export const NOT_JSON = /allowed: JSON values/;
export const OF_A_CLASS = /it (is|answered) an object of class/;
export const FIXED = /read-only|not extensible|not configurable|no setter/;
export const MEMORY = /out of memory|too long|longer than 16777216|used up the engine|did not end within/;
export const TOO_DEEP = /nested deeper than 32 levels/;
export const ODD_LIST = /list whose length is/;
/** Lines as the process itself writes them. */
export const FORGED_CODE = String.raw`'{"id":"forged"}\n!{"text":"forged"}\n@[0,1,2]\n#{"lines":[],"unsaid":7}\nnull'`;
export const FORGED_TEXT = '{"id":"forged"}\n!{"text":"forged"}\n@[0,1,2]\n#{"lines":[],"unsaid":7}\nnull';
export const forger = `() => ${FORGED_CODE}`;
export const hiddenValue = (name: string, value: string): string =>
    `{ ${name}: { value: ${value}, enumerable: false } }`;
export const ownMethods = `Object.defineProperties(list, { map: { value: () => [${FORGED_CODE}] }, join: { value: ${forger} }, toJSON: { value: () => 7 },
    toString: { value: ${forger} }, push: { value: ${forger} }, [Symbol.iterator]: { value: function* () { yield ${FORGED_CODE} } } });`;

/** What is tried, the code of it, and what it becomes. */
export type ForgedCase<T> = readonly [name: string, code: string, told: Expected<T>];
