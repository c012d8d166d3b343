import { join } from 'node:path';
import * as ts from 'typescript';
import { compiledBeside } from './kit/compiled-beside';
import { type GuideBlock, guideBlocks } from './kit/guide-blocks';

/** Values that a page leaves to its reader: those of the reader's own shop. */
const OWN_VALUES = [
    'cleanSku',
    'erpConnection',
    'erpStockExtractor',
    'myErp',
    'myOperator',
    'supplierTemplate',
    'priceList',
    'pricesAt',
    'readKeyFromYourVault',
    'shop',
    'stockSync',
];
const typed = guideBlocks.filter(({ language }) => language === 'ts');

const fileOf = ({ place }: GuideBlock): string => join(__dirname, 'snippets', `${place.replace(/\W/g, '-')}.ts`);
const pageOf = ({ place }: GuideBlock): string => place.replace(/:\d+$/, '');
const declares = (text: string, name: string): boolean =>
    new RegExp(`(?:const|let|class|interface|type|function) ${name}\\b|import [^;]*\\b${name}\\b`).test(text);
const uses = (text: string, name: string): boolean =>
    new RegExp(`(?<![.'"\\w])${name}(?![\\w'"]|\\??:)`).test(text) || new RegExp(`[{,] *${name} *[,}]`).test(text);

/** Earlier blocks of the page whose values this one uses: a reader has both in one file. */
function broughtAlong(block: GuideBlock): readonly GuideBlock[] {
    const above = typed.slice(0, typed.indexOf(block)).filter(other => pageOf(other) === pageOf(block));
    return above.filter(other =>
        [...other.text.matchAll(/^export const (\w+)/gm)].some(
            ([, name]) => uses(block.text, name!) && !declares(block.text, name!),
        ),
    );
}

/** A block with its surroundings in a shop: for each "…" of the page, a value of the right type. */
function inAShop(block: GuideBlock): string {
    const text = [...broughtAlong(block), block]
        .map(one => one.text)
        .join('\n')
        .replaceAll(`'vendure-plugin-flow'`, `'../../src'`)
        .replaceAll(`'vendure-plugin-flow/testing'`, `'../../src/testing'`)
        .replace(/^import \{ (.*) \} from '\.\.?\/(?!\.\.).*';$/gm, (line, names: string) =>
            line.includes(`'../../src`) ? line : `declare const ${names.replaceAll(', ', ': any, ')}: any;`,
        )
        .replace(/(?<=(?:= \{|\(\{|\[|,)\s*)\/\/ …/g, '...left,');
    const own = OWN_VALUES.filter(name => uses(text, name) && !declares(text, name));
    return [
        text,
        'export {};',
        'declare const left: any;',
        ...own.map(name => `declare const ${name}: any;`),
        ...(declares(text, 'FlowPlugin') ? [] : [`import { FlowPlugin } from '../../src';`]),
        ...(declares(text, 'VendureConfig') ? [] : [`import type { VendureConfig } from '@vendure/core';`]),
    ].join('\n');
}

describe('TypeScript of README.md and the guides', () => {
    const program = compiledBeside(new Map(typed.map(block => [fileOf(block), inAShop(block)])));

    it('exists', () => expect(typed.length).toBeGreaterThan(80));

    it.each(typed.map(block => [block.place, block] as const))('compiles unchanged: %s', (_, block) => {
        const source = program().getSourceFile(fileOf(block))!;
        const issues = [...program().getSyntacticDiagnostics(source), ...program().getSemanticDiagnostics(source)];
        expect(issues.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
    });
});
