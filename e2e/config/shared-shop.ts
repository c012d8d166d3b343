import { randomBytes } from 'node:crypto';
import { type FlowPluginOptions, FlowPlugin } from '../../src';
import { quickPasswords } from './administrators';
import type { Database } from './databases';
import { type FlowServer, flowServer, inSuiteChannel } from './flow-server';
import { isInTier, onEachDatabase, onOneDatabase } from './matrix';
import { scratchFolder } from './scratch-folder';
import { SUITE_CHANNELS } from './suite-channels';

/** The lists that a suite may add to the shop's options. Codes are the shop's: no two suites may use one. */
type Additions = Pick<FlowPluginOptions, 'pipelines' | 'adapters' | 'scripts' | 'secrets' | 'connections' | 'events'>;

/** A suite that shares a shop with others and works in a channel of its own. */
export interface SharedSuite extends Additions {
    /** Stands before its tests. */
    readonly title: string;
    /** The token of the channel in which it works, where that is to be another one than its own. */
    readonly channel?: string;
    /**
     * Its tests. `open` is to be awaited in a `beforeAll`; it answers the shop with an admin client that is the superadmin in the channel
     * of the suite, where the pipelines, secrets and connections of the suite are as well.
     */
    tests(open: () => Promise<FlowServer>, database: Database): void;
}

/**
 * One shop for many suites: booted once, with all that they bring. The times are short ones, for tests that wait for a sweep or a slice;
 * who needs other options boots a shop of its own.
 */
export function sharedShop(
    title: string,
    suites: readonly SharedSuite[],
    on: typeof onEachDatabase = onOneDatabase,
): void {
    if (suites.length > SUITE_CHANNELS.length)
        throw new Error(`${title}: ${suites.length} suites for ${SUITE_CHANNELS.length} channels`);
    const placed = suites.map((suite, i) => ({ ...suite, channel: suite.channel ?? SUITE_CHANNELS[i]! }));
    const isChosen = (database: Database, { title: suite }: SharedSuite): boolean =>
        on !== onEachDatabase || isInTier({ database, suite });
    const sharing = (database: Database): void => {
        let shop: FlowServer;

        const masterKey = process.env.FLOW_MASTER_KEY;

        beforeAll(async () => {
            process.env.FLOW_MASTER_KEY = randomBytes(32).toString('base64');
            // Those of all suites, whichever have tests here: the first boot of a process decides for all of them.
            shop = await flowServer(database, FlowPlugin.init(optionsOf(placed)), { config: quickPasswords });
        });
        afterAll(async () => {
            await shop?.destroy();
            if (masterKey === undefined) delete process.env.FLOW_MASTER_KEY;
            else process.env.FLOW_MASTER_KEY = masterKey;
        });

        for (const suite of placed.filter(one => isChosen(database, one)))
            describe(suite.title, () => suite.tests(() => inSuiteChannel(shop, suite.channel), database));
    };
    on(title, sharing, database => placed.some(suite => isChosen(database, suite)));
}

function optionsOf(suites: ReadonlyArray<SharedSuite & { readonly channel: string }>): FlowPluginOptions {
    const inChannels = <T extends { readonly channel?: string }>(
        pick: (suite: SharedSuite) => readonly T[] | undefined,
    ): T[] => suites.flatMap(suite => (pick(suite) ?? []).map(item => ({ channel: suite.channel, ...item })));
    return {
        pipelines: inChannels(({ pipelines }) => pipelines),
        secrets: inChannels(({ secrets }) => secrets),
        connections: inChannels(({ connections }) => connections),
        // Several suites may bring the same one.
        adapters: [...new Set(suites.flatMap(({ adapters }) => adapters ?? []))],
        scripts: scriptsOf(suites),
        events: suites.flatMap(({ events }) => events ?? []),
        security: { allowedHostnames: ['127.0.0.1'] },
        files: { storage: { type: 'local', directory: scratchFolder() } },
        runtime: {
            sweepMs: 500,
            sliceMs: 400,
            leaseMs: 5000,
            stepTestMs: 300_000,
            scheduler: { checkIntervalMs: 1_000 },
        },
    };
}

function scriptsOf(suites: readonly SharedSuite[]): NonNullable<FlowPluginOptions['scripts']> {
    const scripts = suites.flatMap(suite => Object.entries(suite.scripts ?? {}));
    const names = scripts.map(([name]) => name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new Error(`Two suites bring a script "${twice}"`);
    return Object.fromEntries(scripts);
}
