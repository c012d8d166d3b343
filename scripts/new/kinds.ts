import { AskedWrongly } from './asked-wrongly';
import type { ComponentKind } from './component-kind';
import { connection } from './connection';
import { extractor } from './extractor';
import { loader } from './loader';
import { operator } from './operator';
import { rule } from './rule';
import { sink } from './sink';
import { step } from './step';
import { trigger } from './trigger';

/** Every kind of component that can be added, by the word on the command line. */
export const KINDS = { operator, rule, extractor, loader, sink, connection, trigger, step } as const satisfies Readonly<
    Record<string, ComponentKind>
>;
export type KindName = keyof typeof KINDS;

/** Kinds of the registry that cannot be added here, and why. */
const NOT_MADE: Readonly<Record<string, string>> = {
    script: 'a script is a function of the shop that the plugin option scripts names, see docs/guide/hooks.md',
    engine: 'an engine comes with the language of inline scripts, see src/adapters/engines',
};

/** The usage of the command for a kind. */
export function usageOf(kind: KindName): string {
    const { hasCategories, hasBatch, codes } = KINDS[kind];
    const options = `${hasCategories ? ' [--category Data]' : ''}${hasBatch ? ' [--batch]' : ''}`;
    return `npm run new -- ${kind} <code>${options}    the code in ${codes.allowed}`;
}

export const USAGE = Object.keys(KINDS)
    .map(kind => usageOf(kind as KindName))
    .join('\n');

/** The kind that a word names. */
export function kindOf(word: string | undefined): KindName {
    if (word === undefined) throw new AskedWrongly(USAGE);
    if (Object.hasOwn(KINDS, word)) return word as KindName;
    if (Object.hasOwn(NOT_MADE, word)) throw new AskedWrongly(`No ${word} is made here: ${NOT_MADE[word]}.`);
    throw new AskedWrongly(`There is no kind "${word}"; known: ${Object.keys(KINDS).join(', ')}.\n\n${USAGE}`);
}
