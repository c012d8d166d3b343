import assert from 'node:assert/strict';
import { type Change, type Loader, type LoaderExample, loaderFor } from '../core/adapter/loader';
import type { JsonObject, JsonValue } from '../core/value/json';
import {
    assertFieldWords,
    assertRejected,
    assertWords,
    AWKWARD_VALUES,
    CAMEL_CASE,
    type ContractTest,
    checksOf,
    type ContractCheck,
    fieldsOfConfig,
    parsed,
} from './contract';
import { type ExampleCopy, type LoaderShop, LoaderBench, rejectedField } from './loader-bench';
import { actionsOf, assertReads, isWrite, outcomesOf } from './load-outcomes';

export type { LoaderShop } from './loader-bench';

type Action = Change['action'];

/** Replaces a text by a value that cannot be read as anything. */
const NO_TEXT: JsonValue = [{ nonsense: true }];

/**
 * The contract of loaders, on a real shop: that they say of themselves what people need, that their examples are true, that planning
 * writes nothing, that what is there already is not written again, that a batch costs the same whatever its size, and that no record
 * spoils another. `loaderContract(mine, shop).forEach(({ name, run }) => it(name, run))`.
 */
export function loaderContract(loader: Loader, shop: LoaderShop): readonly ContractCheck[] {
    const bench = new LoaderBench(loader, shop);
    return checksOf([
        ...words(loader),
        ...(loader.examples ?? []).flatMap((example, i) => ofExample(bench, example, `example ${i + 1}`)),
        { name: 'locks every key that it touches', run: () => locksKeys(bench) },
        { name: 'rejects a record that it cannot read, and loads its neighbours', run: () => rejectsUnread(bench) },
        { name: 'survives unexpected records', run: () => bearsAwkward(bench) },
    ]);
}

function words(loader: Loader): readonly ContractTest[] {
    const { category, examples = [] } = loader;
    return [
        {
            name: 'has a camelCase code, a title, a category and a summary that is a sentence',
            run: () => {
                assertWords(loader, CAMEL_CASE);
                assert.ok(category, 'category');
            },
        },
        {
            name: 'says of every field what it is called and what it does',
            run: () => assertFieldWords(fieldsOfConfig(loader)),
        },
        {
            name: 'rejects an unknown field',
            run: () => {
                for (const { config = {} } of examples) assertRejected(loader, { ...config, nonsense: 1 }, 'nonsense');
            },
        },
        {
            name: 'takes its own defaults',
            run: () => {
                for (const { config = {} } of examples) {
                    const whole = parsed(loader, config);
                    assert.deepEqual(parsed(loader, whole), whole);
                }
            },
        },
        {
            name: 'has at least three examples, of which one writes and one rejects',
            run: () => {
                assert.ok(examples.length >= 3, `it has ${examples.length}`);
                assert.ok(examples.some(writes), 'none writes');
                assert.ok(
                    examples.some(({ does }) => does.includes('reject')),
                    'none rejects',
                );
                for (const example of examples) isWhole(example);
            },
        },
    ];
}

/** An example that says something of each of its records, and names keys that it has. */
function isWhole({ given = [], in: records, keys, does, again, rejects = [], after }: LoaderExample): void {
    const count = (...actions: readonly Action[]): number => does.filter(action => actions.includes(action)).length;
    assert.equal(does.length, records.length, 'does: one for each record');
    assert.equal(again?.length ?? does.length, records.length, 'again: one for each record');
    assert.equal(rejects.length, count('reject'), 'rejects: the field of each rejected record');
    assert.equal(after?.length ?? count('create', 'update'), count('create', 'update'), 'after: one for each change');
    const text = JSON.stringify([given, records]);
    for (const key of keys) assert.ok(text.includes(JSON.stringify(key)), `no record has the key "${key}"`);
}

function writes({ does }: LoaderExample): boolean {
    return does.some(action => action === 'create' || action === 'update' || action === 'delete');
}

function isSound({ does }: LoaderExample): boolean {
    return !does.includes('reject');
}

/** The changes when an example's records are loaded again. */
function againOf({ does, again }: LoaderExample): readonly Action[] {
    return again ?? does.map(action => (action === 'reject' ? 'reject' : 'unchanged'));
}

function ofExample(bench: LoaderBench, example: LoaderExample, called: string): readonly ContractTest[] {
    return [
        { name: `does what ${called} says`, run: () => holds(bench, example) },
        { name: `foretells ${called} in a dry run, which writes nothing`, run: () => foretells(bench, example) },
        { name: `writes nothing when ${called} is repeated`, run: () => comesAgain(bench, example) },
        // Services load records one by one, and other systems are not called by statements.
        ...(loaderFor(bench.loader, parsed(bench.loader, example.config ?? {})).through === 'tables'
            ? [
                  {
                      name: `sends as many statements for 5 records like those of ${called} as for 20`,
                      run: () => costsTheSame(bench, example),
                  },
              ]
            : []),
        {
            name: `applies in order what comes twice in a batch of ${called}`,
            run: () => appliesInOrder(bench, example),
        },
    ];
}

async function holds(bench: LoaderBench, example: LoaderExample): Promise<void> {
    const [copy] = await bench.prepare(example, 1);
    const load = await (await bench.open(copy!))(copy!.in);
    assert.deepEqual(actionsOf(load), example.does);
    assertReads(load);
    const rejects = load.changes.flatMap(change => (change.action === 'reject' ? [rejectedField(change)] : []));
    assert.deepEqual(rejects, example.rejects ?? [], 'the fields of the rejected records');
    if (!example.after) return;
    const after = load.changes.flatMap(change => ('after' in change ? [change.after] : []));
    assert.deepEqual(bench.unkeyed(after), example.after, 'the fields that differ');
}

async function foretells(bench: LoaderBench, example: LoaderExample): Promise<void> {
    const [copy] = await bench.prepare(example, 1);
    const before = await bench.tables();
    const dry = await bench.open(copy!, 'dryRun');
    const predicted = await dry(copy!.in);
    assert.deepEqual(actionsOf(predicted), example.does);
    assertReads(predicted);
    assert.deepEqual(actionsOf(await dry(copy!.in)), againOf(example), 'what it foretells of a later batch');
    assert.deepEqual(await bench.tables(), before, 'the tables after the dry run');
    const live = await (await bench.open(copy!))(copy!.in);
    assert.deepEqual(outcomesOf(live), outcomesOf(predicted), 'what the run did that was foretold');
}

async function comesAgain(bench: LoaderBench, example: LoaderExample): Promise<void> {
    const [copy] = await bench.prepare(example, 1);
    await (
        await bench.open(copy!)
    )(copy!.in);
    const before = await bench.tables();
    const again = await (await bench.open(copy!))(copy!.in);
    assert.deepEqual(actionsOf(again), againOf(example));
    if (writes({ ...example, does: againOf(example) })) return;
    assert.deepEqual(again.effects, [], 'the effects of an unchanged load');
    assert.deepEqual(again.written.filter(isWrite), [], 'statements that write');
    assert.deepEqual(await bench.tables(), before, 'the tables');
}

async function costsTheSame(bench: LoaderBench, example: LoaderExample): Promise<void> {
    const cost = async (count: number): Promise<object> => {
        const copies = await bench.prepare(example, count);
        const records = copies.flatMap(copy => copy.in);
        const predicted = await (await bench.open(example, 'dryRun'))(records);
        const live = await bench.open(example);
        const first = await live(records);
        assert.deepEqual(actionsOf(first), Array(count).fill(example.does).flat());
        const again = await live(records);
        return {
            'in a dry run': predicted.planned.length,
            'to plan': first.planned.length,
            'to write': first.written.length,
            'to plan again': again.planned.length,
            'to write again': again.written.length,
        };
    };
    const few = await cost(5);
    assert.deepEqual(await cost(20), few, 'statements for 20, and for 5');
}

async function appliesInOrder(bench: LoaderBench, example: LoaderExample): Promise<void> {
    const both = [...example.does, ...againOf(example)];
    const [copy] = await bench.prepare(example, 1);
    const records = [...copy!.in, ...copy!.in];
    const predicted = await (await bench.open(copy!, 'dryRun'))(records);
    assert.deepEqual(actionsOf(predicted), both, 'what it foretells');
    assert.deepEqual(actionsOf(await (await bench.open(copy!))(records)), both);
    await givenInTheSameBatch(bench, example);
}

/** The records that an example loads first with the same loader may also precede it in the same batch. */
async function givenInTheSameBatch(bench: LoaderBench, example: LoaderExample): Promise<void> {
    const last = example.given?.at(-1);
    const isAlike = JSON.stringify(last?.config ?? {}) === JSON.stringify(example.config ?? {});
    if (last?.loader !== bench.loader.code || !isAlike) return;
    const [copy] = await bench.prepare({ ...example, given: example.given!.slice(0, -1), in: last.records }, 1);
    const before = bench.keyedAs(copy!, last.records);
    const records = [...before, ...bench.keyedAs(copy!, example.in)];
    const load = await (await bench.open(copy!))(records);
    assert.deepEqual(actionsOf(load).slice(before.length), example.does, 'with its given records before it');
}

async function locksKeys(bench: LoaderBench): Promise<void> {
    // Locks of another system are not visible here.
    const examples = bench.loader.through === 'remote' ? [] : bench.examples;
    for (const example of examples) {
        const [copy] = await bench.prepare(example, 1);
        const { changes, locks } = await (await bench.open(copy!))(copy!.in);
        for (const change of changes) {
            if (change.action === 'reject') continue;
            assert.notEqual(change.key, '', 'the key of a change is empty');
            const isLocked = locks.some(lock => lock === change.key || lock.endsWith(`:${change.key}`));
            assert.ok(isLocked, `"${change.key}" is not among the locks ${locks.join(', ')}`);
        }
    }
}

async function rejectsUnread(bench: LoaderBench): Promise<void> {
    const known = new Set(bench.examples.flatMap(example => example.in.flatMap(record => Object.keys(record))));
    for (const example of bench.examples.filter(isSound)) {
        const [copy] = await bench.prepare(example, 1);
        const texts = Object.entries(copy!.in[0]!).filter(([, value]) => typeof value === 'string');
        const unread: ReadonlyArray<readonly [record: JsonObject, field: string | undefined]> = [
            [{}, undefined],
            ...texts.map(([field]) => [{ ...copy!.in[0], [field]: NO_TEXT }, field] as const),
        ];
        const bad = [
            [{ ...copy!.in[0], __operation: 'EXPLODE' }, '__operation'] as const,
            // Values sent to another system are interpreted there.
            ...(bench.loader.through === 'remote' ? [] : unread),
        ];
        const changes = await bearsRecords(bench, { example, records: bad.map(([record]) => record) });
        for (const [i, [record, field]] of bad.entries()) {
            const change = changes[i]!;
            assert.equal(change.action, 'reject', `it took ${JSON.stringify(record)}`);
            const [rejected = ''] = (rejectedField(change) ?? '').split('.');
            // Of an empty record any field may be missed first, but it is one that records have.
            const isRight = field === undefined ? known.has(rejected) : rejected === field;
            assert.ok(isRight, `${JSON.stringify(record)} is rejected for "${rejectedField(change)}"`);
        }
    }
}

/** The fields that examples speak of, each with every awkward value while the others are as in the example. */
async function bearsAwkward(bench: LoaderBench): Promise<void> {
    for (const example of bench.examples.filter(isSound)) {
        const [copy] = await bench.prepare(example, 1);
        const records = copy!.in.flatMap(record =>
            Object.keys(record).flatMap(field => AWKWARD_VALUES.map(value => ({ ...record, [field]: value }))),
        );
        await bearsRecords(bench, { example, records });
    }
}

/**
 * Loads records of any kind between those of an example, which they must not affect; returns their changes. A rejected record must name the invalid
 * field.
 */
export async function bearsRecords(
    bench: LoaderBench,
    { example, records }: { readonly example: LoaderExample; readonly records: readonly JsonObject[] },
): Promise<readonly Change[]> {
    const copies = await bench.prepare(example, 2);
    const [before, after] = copies as [ExampleCopy, ExampleCopy];
    const batch = [...before.in, ...records, ...after.in];
    const predicted = await (await bench.open(example, 'dryRun'))(batch);
    const load = await (await bench.open(example))(batch);
    assert.deepEqual(outcomesOf(load), outcomesOf(predicted), 'what the run did that was foretold');
    const changes = load.changes.slice(before.in.length, batch.length - after.in.length);
    const actions = actionsOf(load);
    assert.deepEqual(actions.slice(0, before.in.length), example.does, 'the neighbours before');
    assert.deepEqual(actions.slice(-after.in.length), example.does, 'the neighbours after it');
    for (const change of changes) {
        if (change.action !== 'reject') continue;
        if (change.error.treat !== 'record') throw change.error;
        assert.ok(rejectedField(change), `"${change.error.message}" names no field`);
    }
    return changes;
}
