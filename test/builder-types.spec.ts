import { join } from 'node:path';
import type * as ts from 'typescript';
import { compiledBeside } from './kit/compiled-beside';

// What the compiler reports for code that uses the builder. Each snippet is a separate file. `// wrong` marks the one line that the compiler must
// reject; it must accept every other line.

const ROOT = join(__dirname, '..');
/** The folder that the snippets seem to be in when their imports are resolved. Nothing is written there. */
const PLACE = join(ROOT, 'test/snippets');

const TOY_HEADER = `
import { createPipelineBuilder } from '../../src/core/pipeline/builder';
import type { toys } from '../fixtures/definitions/catalogue';
const pipeline = createPipelineBuilder<typeof toys>();
`;

/** The adapters that come with Flow. */
const REAL_HEADER = `
import { createPipelineBuilder } from '../../src/core/pipeline/builder';
import type { operators } from '../../src/core/operators';
import type { rules } from '../../src/core/rules';
import type { triggers } from '../../src/core/triggers';
import type { extractors } from '../../src/adapters';
import type { loaders } from '../../src/platform';
const pipeline = createPipelineBuilder<{
    triggers: typeof triggers; operators: typeof operators; extractors: typeof extractors; loaders: typeof loaders; rules: typeof rules;
}>();
`;

const TOY_SNIPPETS: Readonly<Record<string, string>> = {
    'a pipeline that uses everything': `
pipeline('p').name('P').description('D').channel('t').enabled(true).capabilities({ requires: ['UpdateCatalog'] })
    .throughput({ batchSize: 10 }).errorHandling({ maxErrors: 3 })
    .trigger('start', { type: 'MANUAL', enabled: false })
    .extract('read', { adapterCode: 'list', rows: [{ a: 1 }], source: 'MYSQL' }, { name: 'Read', disabled: true, retry: { maxRetries: 1 } })
    .transform('clean', [{ op: 'slugify', args: { source: 'a', target: 'b' } }, { op: 'stamp', args: {} }, { op: 'set', args: { path: 'a', value: [1] } }])
    .validate('check', { errorHandlingMode: 'FAIL_FAST', rules: [{ type: 'business', spec: { field: 'a', required: true } }] })
    .route('split', { mode: 'ALL', branches: [{ name: 'x', when: [{ any: [{ field: 'a' }, { not: { field: 'b', cmp: 'exists' } }] }] }] })
    .load('write', { adapterCode: 'thingUpsert', strategy: 'CREATE' })
    .sink('out', { adapterCode: 'webhook', url: 'https://example.com' })
    .gate('ok', { approvalType: 'TIMEOUT', timeoutSeconds: 5 })
    .edge('start', 'read').edge('split', 'write', 'x')
    .hooks({ AFTER_EXTRACT: [{ type: 'LOG', message: 'm' }, { type: 'SCRIPT', scriptName: 's' }] })
    .build().definition.steps;`,
    'constants that several steps share': `
const read = { adapterCode: 'list', rows: [{ a: 1 }, { a: [2] }] } as const;
const clean = [{ op: 'slugify', args: { source: 'a', target: 'b' } }, { op: 'set', args: { path: 'a', value: [1] } }] as const;
pipeline('p').extract('read', read).transform('clean', clean).extract('again', { ...read, source: 'MYSQL' });
pipeline('p').extract('read', { ...read, rowz: [] }); // wrong`,
    'an unknown trigger type': `pipeline('p').trigger('t', { type: 'MAIL' }); // wrong`,
    'a field that the trigger does not have': `pipeline('p').trigger('t', { type: 'MANUAL', cron: '* * * * *' }); // wrong`,
    'an unknown extractor': `pipeline('p').extract('e', { adapterCode: 'lst', rows: [] }); // wrong`,
    'an extractor without its required field': `pipeline('p').extract('e', { adapterCode: 'list' }); // wrong`,
    'an extractor with a misspelled field': `pipeline('p').extract('e', { adapterCode: 'list', rows: [], pagesize: 1 }); // wrong`,
    'an extractor with a value of the wrong type': `pipeline('p').extract('e', { adapterCode: 'list', rows: [], pageSize: '1' }); // wrong`,
    'an unknown enum value': `pipeline('p').extract('e', { adapterCode: 'list', rows: [], source: 'ORACLE' }); // wrong`,
    'an extractor instead of a loader': `pipeline('p').load('l', { adapterCode: 'list', rows: [] }); // wrong`,
    'an unknown loader': `pipeline('p').load('l', { adapterCode: 'thingsUpsert' }); // wrong`,
    'a loader with a misspelled field': `pipeline('p').load('l', { adapterCode: 'thingUpsert', keyfield: 'sku' }); // wrong`,
    'a loader with an unknown strategy': `pipeline('p').load('l', { adapterCode: 'thingUpsert', strategy: 'REPLACE' }); // wrong`,
    'an unknown operator': `pipeline('p').transform('t', [{ op: 'slugfy', args: { source: 'a', target: 'b' } }]); // wrong`,
    'a misspelled argument': `pipeline('p').transform('t', [{ op: 'slugify', args: { source: 'a', target: 'b', seperator: '-' } }]); // wrong`,
    'a missing argument': `pipeline('p').transform('t', [{ op: 'slugify', args: { source: 'a' } }]); // wrong`,
    'an argument of the wrong type': `pipeline('p').transform('t', [{ op: 'slugify', args: { source: 1, target: 'b' } }]); // wrong`,
    'the argument of another operator': `pipeline('p').transform('t', [{ op: 'slugify', args: { source: 'a', target: 'b', path: 'c' } }]); // wrong`,
    'arguments next to args': `pipeline('p').transform('t', [{ op: 'stamp', target: 'b' }]); // wrong`,
    'one wrong operator among right ones': `pipeline('p').transform('t', [
    { op: 'stamp', args: {} },
    { op: 'slugify', args: { source: 'a', traget: 'b' } }, // wrong
    { op: 'stamp', args: { target: 'b' } },
]);`,
    'an unknown rule': `pipeline('p').validate('v', { rules: [{ type: 'uniqe', spec: { field: 'a' } }] }); // wrong`,
    'a rule with the field of another one': `pipeline('p').validate('v', { rules: [{ type: 'unique', spec: { field: 'a', entity: 'PRODUCT' } }] }); // wrong`,
    'a rule without its field': `pipeline('p').validate('v', { rules: [{ type: 'range', spec: { min: 1 } }] }); // wrong`,
    'an unknown validation mode': `pipeline('p').validate('v', { errorHandlingMode: 'STOP', rules: [] }); // wrong`,
    'an unknown setting': `pipeline('p').throughput({ batchsize: 1 }); // wrong`,
    'an unknown retry': `pipeline('p').extract('e', { adapterCode: 'list', rows: [] }, { retry: { times: 1 } }); // wrong`,
    'an unknown hook stage': `pipeline('p').hooks({ AFTER_ALL: [] }); // wrong`,
    'a hook without its field': `pipeline('p').hooks({ AFTER_LOAD: [{ type: 'LOG' }] }); // wrong`,
    'an unknown approval': `pipeline('p').gate('g', { approvalType: 'NEVER' }); // wrong`,
    'a step without configuration': `pipeline('p').load('l'); // wrong`,
    'an unknown method': `pipeline('p').loader('l', {}); // wrong`,
};

const REAL_SNIPPETS: Readonly<Record<string, string>> = {
    'core operators with their arguments': `pipeline('p').transform('t', [
    { op: 'map', args: { mapping: { sku: 'Article No', 'translations.de.name': 'Name DE' } } },
    { op: 'trim', args: { path: 'name', mode: 'start' } },
    { op: 'slugify', args: { source: 'name', target: 'slug' } },
    { op: 'toCents', args: { source: 'price', target: 'price' } },
    { op: 'split', args: { source: 'a', target: 'b', delimiter: '|' } },
    { op: 'validateRequired', args: { fields: ['sku'] } },
    { op: 'set', args: { path: 'enabled', value: true } },
]);`,
    'a core operator with an unknown mode': `pipeline('p').transform('t', [{ op: 'trim', args: { path: 'name', mode: 'middle' } }]); // wrong`,
    'a core operator with a misspelled argument': `pipeline('p').transform('t', [{ op: 'split', args: { source: 'a', target: 'b', delimeter: '|' } }]); // wrong`,
    'a core operator without a required argument': `pipeline('p').transform('t', [{ op: 'map', args: {} }]); // wrong`,
    'a core operator with the wrong type': `pipeline('p').transform('t', [{ op: 'validateRequired', args: { fields: 'sku' } }]); // wrong`,
    'a file with its loads': `pipeline('p').extract('e', { adapterCode: 'csv', csvText: 'a;b', delimiter: ';' })
    .extract('g', { adapterCode: 'generator', count: 3, template: { sku: 'GIFT-{{index}}' } })
    .load('prices', { adapterCode: 'priceUpdate' }).load('levels', { adapterCode: 'stockAdjust' });`,
    'a real extractor with a misspelled field': `pipeline('p').extract('e', { adapterCode: 'csv', csvText: 'a', delimitr: ';' }); // wrong`,
    'a real extractor with the wrong type': `pipeline('p').extract('e', { adapterCode: 'csv', csvText: 5 }); // wrong`,
    'a real trigger with the wrong type': `pipeline('p').trigger('t', { type: 'MANUAL', enabled: 'yes' }); // wrong`,
    'a real loader with a misspelled field': `pipeline('p').load('l', { adapterCode: 'priceUpdate', skufield: 'sku' }); // wrong`,
    'a real loader with the wrong type': `pipeline('p').load('l', { adapterCode: 'stockAdjust', strategy: 7 }); // wrong`,
    'an unknown real loader': `pipeline('p').load('l', { adapterCode: 'pricesUpdate' }); // wrong`,
    'operators within operators': `pipeline('p').transform('t', [
    { op: 'each', args: { path: 'variants', operators: [
        { op: 'toCents', args: { source: 'price', target: 'price' } },
        { op: 'each', args: { path: 'tags', operators: [{ op: 'trim', args: { path: '_item' } }] } },
    ] } },
]);`,
    'an unknown inner operator': `pipeline('p').transform('t', [{ op: 'each', args: { path: 'v', operators: [
    { op: 'trim', args: { path: 'a' } },
    { op: 'trimm', args: { path: 'a' } }, // wrong
] } }]);`,
    'a misspelled argument within an operator within another one': `pipeline('p').transform('t', [{ op: 'each', args: { path: 'v', operators: [
    { op: 'each', args: { path: 'w', operators: [
        { op: 'trim', args: { path: 'a', mod: 'end' } }, // wrong
    ] } },
] } }]);`,
    'an operator on batches within another one': `pipeline('p').transform('t', [{ op: 'each', args: { path: 'v', operators: [
    { op: 'aggregate', args: { op: 'count' } }, // wrong
] } }]);`,
    'an operator that the core does not have': `pipeline('p').transform('t', [{ op: 'trimm', args: { path: 'name' } }]); // wrong`,
};

/** The lines of a snippet that the compiler rejects. */
function refusedLines(program: ts.Program, file: string): readonly string[] {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`${file} is not part of the program`);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    const lines = source.text.split('\n');
    return [...new Set(found.map(({ start = 0 }) => lines[source.getLineAndCharacterOfPosition(start).line]!))];
}

describe('the compiler', () => {
    const snippets = [
        ...Object.entries(TOY_SNIPPETS).map(([what, code]) => ({ what, text: TOY_HEADER + code })),
        ...Object.entries(REAL_SNIPPETS).map(([what, code]) => ({ what, text: REAL_HEADER + code })),
    ].map((snippet, index) => ({
        ...snippet,
        file: join(PLACE, `snippet-${index}.ts`),
        right: !snippet.text.includes('// wrong'),
    }));
    const program = compiledBeside(new Map(snippets.map(({ file, text }) => [file, text])));
    let rejected: ReadonlyMap<string, readonly string[]>;

    beforeAll(() => {
        rejected = new Map(snippets.map(({ file }) => [file, refusedLines(program(), file)]));
    });

    it.each(snippets.filter(({ right }) => right))('accepts $what', ({ file }) => {
        expect(rejected.get(file)).toEqual([]);
    });

    it.each(snippets.filter(({ right }) => !right))('rejects $what', ({ file, text }) => {
        expect(rejected.get(file)).toEqual(text.split('\n').filter(line => line.includes('// wrong')));
    });
});
