import type { JsonObject, JsonValue } from '../../../src/core/value/json';
import { Engine, type Accident, type EngineAnswer, type EngineRequest } from './engine-server';

interface Task {
    readonly uid: number;
    readonly indexUid: string | null;
    readonly type: string;
    status: 'enqueued' | 'processing' | 'succeeded' | 'failed';
    readonly enqueuedAt: string;
    error: JsonObject | null;
    readonly details: JsonObject;
    readonly work: () => void;
}

interface Index {
    primaryKey: string | null;
    settings: Record<string, JsonValue>;
    readonly documents: Map<string, JsonObject>;
}

/**
 * Meilisearch turns each request into a task. A task is done as a whole, in order, when its status is requested for the second time. A document with
 * `bad` fails its task.
 */
export class MeilisearchServer extends Engine {
    readonly indexes = new Map<string, Index>();
    readonly tasks: Task[] = [];

    /** Its clock, in addition to that of this machine. */
    aheadMs = 0;

    /** With its time in whole seconds, as in HTTP. */
    override answer(request: EngineRequest): EngineAnswer | Accident {
        const answer = super.answer(request);
        if (typeof answer === 'string') return answer;
        return { ...answer, headers: { date: new Date(Date.now() + this.aheadMs).toUTCString(), ...answer.headers } };
    }

    documents(name: string): ReadonlyMap<string, JsonObject> {
        this.doAll();
        return this.indexes.get(name)?.documents ?? new Map<string, JsonObject>();
    }

    make(name: string, primaryKey: string | null = null): Index {
        const index = { primaryKey, settings: {}, documents: new Map<string, JsonObject>() };
        this.indexes.set(name, index);
        return index;
    }

    /** Indexes of another user who rebuilds others. */
    swapOthers(count: number): void {
        this.make('theirs');
        this.make('theirs_new');
        for (let i = 0; i < count; i++)
            this.enqueue(null, 'indexSwap', { swaps: [{ indexes: ['theirs', 'theirs_new'] }] });
        this.doAll();
    }

    doAll(): void {
        for (const task of this.tasks) this.do(task);
    }

    protected serve({ method, path, query, headers, body }: EngineRequest): EngineAnswer {
        if (headers['authorization'] === undefined) return rejection(401, 'missing_authorization_header');
        const parts = path.split('/').slice(1).map(decodeURIComponent);
        const [area, name = '', what, kind] = parts;
        if (area === 'tasks') return name === '' ? this.listed(query) : this.told(Number(name));
        if (area === 'swap-indexes') return this.enqueue(null, 'indexSwap', { swaps: JSON.parse(body) as JsonValue });
        if (area !== 'indexes') return rejection(404, 'not_found');
        if (name === '') {
            if (method === 'GET') return this.shown(query);
            const { uid, primaryKey } = JSON.parse(body) as { readonly uid: string; readonly primaryKey: string };
            return this.enqueue(uid, 'indexCreation', { primaryKey });
        }
        const index = this.indexes.get(name);
        if (what === undefined) {
            if (method === 'DELETE') return this.enqueue(name, 'indexDeletion', {});
            return index ? { body: { uid: name, primaryKey: index.primaryKey } } : rejection(404, 'index_not_found');
        }
        if (what === 'settings') {
            if (method === 'PATCH') return this.enqueue(name, 'settingsUpdate', JSON.parse(body) as JsonObject);
            return index
                ? {
                      body: {
                          searchableAttributes: ['*'],
                          filterableAttributes: [],
                          sortableAttributes: [],
                          ...index.settings,
                      },
                  }
                : rejection(404, 'index_not_found');
        }
        if (what !== 'documents' || method !== 'POST') return rejection(405, 'method_not_allowed');
        if (kind === 'delete-batch')
            return this.enqueue(name, 'documentDeletion', { ids: JSON.parse(body) as JsonValue });
        const key = query.get('primaryKey');
        return this.enqueue(name, 'documentAdditionOrUpdate', { key, list: JSON.parse(body) as JsonValue });
    }

    private enqueue(indexUid: string | null, type: string, given: JsonObject): EngineAnswer {
        const uid = this.tasks.length;
        const details: JsonObject = type === 'indexSwap' ? given : {};
        const enqueuedAt = new Date(Date.now() + this.aheadMs).toISOString();
        const work = () => this.work(indexUid ?? '', type, given);
        this.tasks.push({ uid, indexUid, type, status: 'enqueued', enqueuedAt, error: null, details, work });
        return { status: 202, body: { taskUid: uid, indexUid, status: 'enqueued', type, enqueuedAt } };
    }

    private work(name: string, type: string, given: JsonObject): void {
        const index = this.indexes.get(name);
        switch (type) {
            case 'indexCreation':
                if (index) throw new Error(`Index \`${name}\` already exists.`);
                this.make(name, given['primaryKey'] as string);
                return;
            case 'indexDeletion':
                if (!this.indexes.delete(name)) throw new Error(`Index \`${name}\` not found.`);
                return;
            case 'settingsUpdate':
                Object.assign((index ?? this.make(name)).settings, given);
                return;
            case 'indexSwap':
                for (const { indexes } of given['swaps'] as unknown as ReadonlyArray<{ indexes: [string, string] }>) {
                    const [a, b] = indexes.map(one => this.indexes.get(one));
                    if (!a || !b) throw new Error(`Indexes ${indexes.join(', ')} not found.`);
                    this.indexes.set(indexes[0], b).set(indexes[1], a);
                }
                return;
            case 'documentDeletion':
                for (const id of given['ids'] as readonly JsonValue[]) index?.documents.delete(String(id));
                return;
            default: {
                const list = given['list'] as readonly JsonObject[];
                const key = given['key'] as string;
                for (const one of list) {
                    if (one['bad'] !== undefined) throw new Error('Value of `bad` is invalid.');
                    if (!/^[A-Za-z0-9_-]{1,511}$/.test(String(one[key])))
                        throw new Error(`Document identifier \`${String(one[key])}\` is invalid.`);
                }
                const { documents } = index ?? this.make(name, key);
                for (const one of list) documents.set(String(one[key]), one);
            }
        }
    }

    private do(task: Task): void {
        if (task.status === 'succeeded' || task.status === 'failed') return;
        try {
            task.work();
            task.status = 'succeeded';
        } catch (thrown) {
            task.status = 'failed';
            task.error = { message: (thrown as Error).message, code: 'invalid', type: 'invalid_request' };
        }
    }

    private step(): void {
        for (const task of this.tasks) {
            if (task.status === 'enqueued') task.status = 'processing';
            else this.do(task);
        }
    }

    private told(uid: number): EngineAnswer {
        this.step();
        const task = this.tasks[uid];
        return task ? { body: shownTask(task) } : rejection(404, 'task_not_found');
    }

    private listed(query: URLSearchParams): EngineAnswer {
        this.step();
        const among = (name: string, value: string | null): boolean => {
            const desired = query.get(name)?.split(',');
            return !desired || (value !== null && desired.includes(value));
        };
        const after = query.get('afterEnqueuedAt');
        const from = query.get('from');
        const found = this.tasks.filter(
            task =>
                among('statuses', task.status) &&
                among('types', task.type) &&
                among('indexUids', task.indexUid) &&
                among('uids', String(task.uid)) &&
                (from === null || task.uid <= Number(from)) &&
                (after === null || task.enqueuedAt > after),
        );
        const limit = Number(query.get('limit') ?? 20);
        const all = found.reverse();
        const [results, next] = [all.slice(0, limit).map(shownTask), all[limit]?.uid ?? null];
        return { body: { results, total: found.length, limit, from: all[0]?.uid ?? null, next } };
    }

    private shown(query: URLSearchParams): EngineAnswer {
        const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
        const all = [...this.indexes].map(([uid, { primaryKey }]) => ({ uid, primaryKey }));
        return { body: { results: all.slice(offset, offset + limit), limit, offset, total: all.length } };
    }
}

function shownTask({ work: _work, ...task }: Task): JsonObject {
    return { ...task };
}

function rejection(status: number, code: string): EngineAnswer {
    return { status, body: { message: `${code}.`, code, type: 'invalid_request', link: '' } };
}
