import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Commit, LoadResult, LoadUnit } from '../../../src/core/ports/ports';
import { memoryPorts, MemoryState } from '../memory-ports';
import type { FromProducer, Order } from './protocol';

/** A message that has arrived at the broker. */
export interface Arrived {
    readonly id: string;
    /** Its record's number. */
    readonly n: number;
}

/** What has become of messages whose producers were killed. */
export interface Told {
    readonly kills: number;
    readonly arrived: number;
    /** Numbers of records that have not arrived. */
    readonly lost: readonly number[];
    /** How many have arrived more than once. */
    readonly repeats: number;
    /** Numbers of records whose messages have several ids, or an id that another record has. */
    readonly confused: readonly number[];
}

/** A message that was being sent may arrive shortly after its producer has died. */
const LATE_MS = 30;

/**
 * Publishes through producers that are killed one after another, `kills` times: before their publication is confirmed, when it is confirmed and they
 * do not know it yet, and in the middle of the next part. Each next producer continues with the stored state. Returns what the broker has in the end.
 */
export async function publishedWithKills(
    querySort: Order,
    kills: number,
    arrived: () => Promise<readonly Arrived[]>,
): Promise<Told> {
    const state = new MemoryState();
    const parts = Math.ceil(querySort.count / Number(querySort.config['batchSize'] ?? querySort.batchSize));
    const every = Math.max(1, Math.floor(parts / (kills + 1)));
    const store = memoryPorts(state);
    let [settled, killed] = [0, 0];
    let standby = ready();
    try {
        for (;;) {
            const child = await standby;
            standby = ready();
            const end = await new Promise<string | undefined>((resolve, reject) => {
                const die = (): void => {
                    child.removeAllListeners('message').kill('SIGKILL');
                };
                child.once('exit', () => resolve(undefined));
                child.on('message', (message: FromProducer) => {
                    if (message.what === 'end') return resolve(message.end);
                    if (message.what === 'ready') return undefined;
                    const { what, id, given } = message;
                    const isItsTurn = what === 'settle' && ++settled % every === 0 && killed < kills;
                    const way = isItsTurn ? killed++ % 3 : undefined;
                    if (way === 0) return die();
                    const answer = async (): Promise<void> => {
                        const value = await requested(store, what, given);
                        if (way === 1) return die();
                        child.send({ id, value });
                        if (way === 2) setTimeout(die, Math.floor(Math.random() * LATE_MS));
                    };
                    return void answer().catch(reject);
                });
                child.send(querySort);
            });
            child.kill('SIGKILL');
            if (end === 'completed') break;
            if (end !== undefined) throw new Error(`The run has ended with ${end}`);
        }
    } finally {
        (await standby).kill('SIGKILL');
    }
    return judged(await arrived(), querySort.count, killed);
}

/** A started producer that waits for its task. */
function ready(): Promise<ChildProcess> {
    return new Promise((resolve, reject) => {
        const child = fork(join(__dirname, 'producer.ts'), { execArgv: ['-r', '@swc-node/register'] });
        child.once('message', () => resolve(child)).once('error', reject);
        child.once('exit', code => reject(new Error(`A producer has ended with ${String(code)}`)));
    });
}

async function requested(ports: ReturnType<typeof memoryPorts>, what: string, given: unknown): Promise<unknown> {
    if (what === 'load') return ports.positions.load();
    if (what === 'commit') return ports.positions.commit(given as Commit);
    const {
        key,
        digest = '',
        result,
    } = given as {
        readonly key: LoadUnit['key'];
        readonly digest?: string;
        readonly result?: LoadResult;
    };
    const unit = { key, digest: () => digest };
    return what === 'told' ? ports.loads.storedVerdicts(unit) : ports.loads.settle(unit, result!);
}

function judged(messages: readonly Arrived[], count: number, kills: number): Told {
    const idOf = new Map<number, string>();
    const numberOf = new Map<string, number>();
    const confused = new Set<number>();
    for (const { id, n } of messages) {
        if ((idOf.get(n) ?? id) !== id || (numberOf.get(id) ?? n) !== n) confused.add(n);
        idOf.set(n, id);
        numberOf.set(id, n);
    }
    const lost = Array.from({ length: count }, (_, n) => n).filter(n => !idOf.has(n));
    return { kills, arrived: messages.length, lost, repeats: messages.length - idOf.size, confused: [...confused] };
}
