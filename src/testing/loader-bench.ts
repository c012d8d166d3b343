import assert from 'node:assert/strict';
import type { AdapterContext, RunMode } from '../core/adapter/context';
import type { Change, Loader, LoaderExample } from '../core/adapter/loader';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/value/json';
import type { VendurePlatform } from '../platform/context';
import { databaseOf } from '../database/open-database';
import { openLoaderTestRun, type LoaderTestRun } from './loader-test-run';

/** A running shop on which loaders are tried. */
export interface LoaderShop {
    /** The loaders that examples may begin with. */
    readonly loaders: readonly Loader[];
    /** The input of the loader in addition to the platform: connections, the network … */
    readonly surroundings?: Partial<AdapterContext>;
    /** The platform of one run, for a superadmin. It needs a new context each time, because a dry run stores its state with it. */
    platform(): Promise<Pick<VendurePlatform, 'ctx' | 'injector' | 'dataSource'>>;
    /** For each table a text that another one takes the place of when anything is written to it, be it the same as before. */
    tables(): Promise<Readonly<Record<string, string>>>;
}

/** An example with keys that nothing else in the shop has. */
export interface ExampleCopy extends Pick<LoaderExample, 'config' | 'keys'> {
    readonly in: readonly JsonObject[];
    readonly mark: string;
}

type Load = (records: readonly JsonObject[]) => Promise<LoaderTestRun>;

const MARK = /copy\d+-/g;
let copies = 0;

/** One loader with its examples on a shop, each time with different keys. */
export class LoaderBench {
    readonly examples: readonly LoaderExample[];

    constructor(
        readonly loader: Loader,
        private readonly shop: LoaderShop,
    ) {
        for (const part of ['platform', 'tables'] as const) {
            assert.ok(
                typeof (shop as Partial<LoaderShop> | undefined)?.[part] === 'function',
                `shop.${part} is missing: a loader is tested on a running shop, for example one of @vendure/testing; docs/guide/testing.md shows how`,
            );
        }
        this.examples = loader.examples ?? [];
    }

    /** Copies of an example, for which all is loaded that they begin with. */
    async prepare(example: LoaderExample, count: number): Promise<readonly ExampleCopy[]> {
        const { config, keys } = example;
        const marks = Array.from({ length: count }, () => `copy${++copies}-`);
        for (const { loader: code, config: given, records } of example.given ?? []) {
            const loader = this.shop.loaders.find(one => one.code === code);
            assert.ok(loader, `an example begins with the loader "${code}", which the shop does not have`);
            const load = await this.openWith(loader, given ?? {}, 'live');
            const { changes } = await load(marks.flatMap(mark => this.keyedAs({ keys, mark }, records)));
            for (const change of changes) if (change.action === 'reject') throw change.error;
        }
        return marks.map(mark => ({
            keys,
            mark,
            in: this.keyedAs({ keys, mark }, example.in),
            ...(config && { config }),
        }));
    }

    /** Opens a step of a separate run. Its loads must be planned record by record, and must not affect other tests. */
    async open({ config = {} }: Pick<LoaderExample, 'config'>, mode: RunMode = 'live'): Promise<Load> {
        return this.openWith(this.loader, config, mode);
    }

    tables(): Promise<Readonly<Record<string, string>>> {
        return this.shop.tables();
    }

    /** Records of an example under the keys of one of its copies. */
    keyedAs({ keys, mark }: Pick<ExampleCopy, 'keys' | 'mark'>, records: readonly JsonObject[]): readonly JsonObject[] {
        return records.map(record => keyed(record, keys, mark) as JsonObject);
    }

    /** A value as the example has it. */
    unkeyed<T>(value: T): T {
        return JSON.parse(JSON.stringify(value).replace(MARK, '')) as T;
    }

    private async openWith(loader: Loader, config: object, mode: RunMode): Promise<Load> {
        const { surroundings: context = {} } = this.shop;
        const { ctx, injector, dataSource } = await this.shop.platform();
        const platform = { ctx, injector, dataSource, database: databaseOf(dataSource) };
        const load = await openLoaderTestRun({ loader, config, mode, platform, surroundings: context });
        return async records => {
            const before = Object.getOwnPropertyNames(Object.prototype);
            const done = await load(records);
            assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before, 'what every object has');
            assert.equal(done.changes.length, records.length, 'changes, one for each record');
            return done;
        };
    }
}

function keyed(value: JsonValue, keys: readonly string[], mark: string): JsonValue {
    if (typeof value === 'string') return keys.includes(value) ? mark + value : value;
    if (Array.isArray(value)) return value.map((element: JsonValue) => keyed(element, keys, mark));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, keyed(field, keys, mark)]));
}

/** The field that a record is rejected for. */
export function rejectedField(change: Change): string | undefined {
    if (change.action !== 'reject') return undefined;
    const path = change.error.details?.['path'] ?? change.error.details?.['field'];
    return typeof path === 'string' ? path : undefined;
}
