import assert from 'node:assert/strict';
import type { Extractor, ExtractorExample, Page } from '../core/adapter/extractor';
import type { JsonObject } from '../core/value/json';
import {
    assertFieldWords,
    assertRejected,
    assertWords,
    CAMEL_CASE,
    type ContractTest,
    checksOf,
    type ContractCheck,
    type ContractContext,
    fieldsOfConfig,
    parsed,
} from './contract';
import { enlargedReading } from './enlarged-reading';
import { type ExtractorReading, RepeatedReading, readingChecks, rowsOf } from './reading-checks';

/**
 * The contract of extractors: their descriptions are complete, and their examples are true. Each example, and each larger reading that is given,
 * can be resumed, cancelled, previewed and left early. An extractor with checkpoints must resume from one with a further page: in its examples, in
 * a larger reading, or with the rows of its examples repeated. For one that reads a shop or a server, only its description is checked, unless
 * `surroundings` has the platform of a shop, or connections to the server.
 * `for (const { name, run } of extractorContract(mine)) it(name, run)`.
 */
export function extractorContract(
    extractor: Extractor,
    context: ContractContext = {},
    larger: readonly ExtractorReading[] = [],
): readonly ContractCheck[] {
    const declared = [...words(extractor), ...schema(extractor)];
    const isAlone =
        (extractor.readsShop && context.platform === undefined) ||
        (extractor.readsServer && context.connections === undefined);
    if (isAlone) return checksOf(declared);
    const examples = (extractor.examples ?? []).map((example, i) => ({ name: `example ${i + 1}`, ...example }));
    return checksOf([
        ...declared,
        ...examples.map(example => ({
            name: `reads what ${example.name} says`,
            run: () => holds(new RepeatedReading(extractor, example, context), example),
        })),
        ...[...examples, ...larger].flatMap(reading => readingChecks(extractor, reading, context)),
        {
            name: 'continues from a checkpoint with the next page',
            run: () => goesOn(extractor, [...examples, ...larger], context),
        },
    ]);
}

function words(extractor: Extractor): readonly ContractTest[] {
    const { category, examples = [] } = extractor;
    return [
        {
            name: 'has a camelCase code, a title, a category and a summary that is a sentence',
            run: () => {
                assertWords(extractor, CAMEL_CASE);
                assert.ok(category, 'category');
            },
        },
        {
            name: 'says of every field what it is called and what it does',
            run: () => assertFieldWords(fieldsOfConfig(extractor)),
        },
        {
            name: 'has at least two examples',
            run: () => assert.ok(examples.length >= 2, `it has ${examples.length}`),
        },
    ];
}

function schema(extractor: Extractor): readonly ContractTest[] {
    const configs = (extractor.examples ?? []).map(({ config }) => config as JsonObject);
    return [
        {
            name: 'rejects an unknown field',
            run: () => {
                for (const config of configs) assertRejected(extractor, { ...config, nonsense: 1 }, 'nonsense');
            },
        },
        {
            name: 'reads the same where its defaults are written out',
            run: () => {
                const defaults = defaultsOf(extractor);
                for (const config of configs)
                    assert.deepEqual(parsed(extractor, { ...defaults, ...config }), parsed(extractor, config));
            },
        },
    ];
}

function defaultsOf(extractor: Extractor): JsonObject {
    const fields = fieldsOfConfig(extractor).filter(([path]) => !path.includes('.'));
    return Object.fromEntries(
        fields.flatMap(([name, field]) => (field['default'] === undefined ? [] : [[name, field['default']]])),
    );
}

async function holds(reading: RepeatedReading, { out, errors = [] }: ExtractorExample<object>): Promise<void> {
    const pages = await reading.all();
    rowsOf(pages);
    assert.deepEqual(
        pages.flatMap(({ records }) => records),
        out,
    );
    const problems = pages.flatMap(({ faults: issues = [] }) => issues.map(({ problem }) => problem));
    assert.equal(problems.length, errors.length, problems.join('\n'));
    errors.forEach((error, i) => assert.ok(problems[i]!.includes(error), `"${problems[i]!}" does not say "${error}"`));
}

/** A reading that fits in one page has no records after its checkpoint, and so does not test resuming. */
async function goesOn(
    extractor: Extractor,
    readings: readonly ExtractorReading[],
    context: ContractContext,
): Promise<void> {
    const known = await Promise.all(readings.map(reading => new RepeatedReading(extractor, reading, context).all()));
    const enlarged = (extractor.examples ?? []).flatMap((one, i) => enlargedReading(one, `example ${i + 1}`) ?? []);
    let hasFurther = known.some(isResumable);
    const unread: string[] = [];
    for (const reading of enlarged) {
        let pages: readonly Page[];
        try {
            pages = await new RepeatedReading(extractor, reading, context).all();
        } catch (error) {
            // Rows that must not be repeated, for example; the error is reported if no other reading works.
            unread.push(String(error));
            continue;
        }
        hasFurther ||= isResumable(pages);
        for (const { run } of readingChecks(extractor, reading, context)) await run();
    }
    if (!known.flat().some(({ checkpoint }) => checkpoint !== undefined)) return;
    const problem = 'no reading continues after a checkpoint; use a larger source';
    assert.ok(hasFurther, [problem, ...unread].join('\n'));
}

function isResumable(pages: readonly Page[]): boolean {
    return pages.slice(0, -1).some(({ checkpoint }) => checkpoint !== undefined);
}
