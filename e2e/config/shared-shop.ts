import { randomBytes } from 'node:crypto';
import { type FlowPluginOptions, FlowPlugin } from '../../src';
import { quickPasswords } from './administrators';
import type { Database } from './databases';
import { type FlowServer, flowServer, inSuiteChannel } from './flow-server';
import { isInTier, onEachDatabase, onOneDatabase } from './matrix';
import { scratchFolder } from './scratch-folder';
import { SUITE_CHANNELS } from './suite-channels';

/** The lists that a suite may add to the shop's options. Codes belong to the shop: no two suites may use the same one. */
type Additions = Pick<FlowPluginOptions, 'pipelines' | 'adapters' | 'scripts' | 'secrets' | 'connections' | 'events'>;

/** A suite that shares a shop with others and works in its own channel. */
export interface SharedSuite extends Additions {
    /** Runs before its tests. */
    readonly title: string;
    /** The token of the channel in which it works, if that is not its own. */
    readonly channel?: string;
    /**
     * Its tests. Await `open` in a `beforeAll`; it returns the shop with an admin client that is the superadmin in the suite's channel,
     * which also contains the suite's pipelines, secrets and connections.
     */
    tests(open: () => Promise<FlowServer>, database: Database): void;
}

/**
 * One shop for many suites: started once, with the adapters of all suites. Its times are short, for tests that wait for a sweep or a slice.
 * A suite that needs other options starts a separate shop.
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
            // The options of all suites, even if only some have tests here: the first start of a process decides for all of them.
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
        // Several suites may add the same one.
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
