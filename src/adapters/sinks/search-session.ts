import { createHash } from 'node:crypto';
import type { Delivered, Outcome } from '../../core/adapter/loader';
import { logEvent } from '../../core/adapter/log-event';
import type { SinkOperation, SinkSession, SinkRunContext } from '../../core/adapter/sink';
import type { Batch } from '../../core/data/record';
import type { JsonObject } from '../../core/value/json';
import { type CommonArgs, namedFor } from './common-fields';
import { DocumentSession, SentDocuments } from './documents';
import { inHalves, type ListOutcome } from '../../core/adapter/split-delivery';

/** A document and its id in the index. */
export interface IndexedDocument {
    readonly id: string;
    readonly data: JsonObject;
}

/** A search engine. Calls do not overlap. Throws errors that are not about a document. */
export interface SearchEngine {
    /** Prepares an index before the first document of a session. */
    prepare?(index: string): Promise<void>;
    /** Writes whole documents into an index, and replaces those with their ids. */
    write(index: string, documents: readonly IndexedDocument[]): Promise<ListOutcome>;
    /** Removes documents; missing ones count as deleted. */
    remove(index: string, ids: readonly string[]): Promise<ListOutcome>;
    /** Waits until all requested changes are done and searchable. */
    settle(index: string): Promise<void>;
    /** Throws a record error for an id that the engine does not allow. */
    check?(id: string, idField: string): void;
    /** Creates an empty index with the settings of another one; does nothing if it exists. */
    create(fresh: string, like: string): Promise<void>;
    /** Replaces an index by a new one at once, and drops the old one; does nothing if that was done before. */
    swap(fresh: string, index: string): Promise<void>;
    /** The indexes whose names begin with this text. */
    left(beginning: string): Promise<readonly string[]>;
    /** Drops an index; does nothing if it does not exist. */
    drop(index: string): Promise<void>;
}

/** The configuration that the sinks of search engines share. */
interface SearchArgs extends CommonArgs {
    /** With its placeholder. */
    readonly index: string;
    readonly idField: string;
    readonly rebuild: boolean;
    /** Documents contain their id under `idField`. Otherwise the engine stores it where it has ids. */
    readonly sendsId?: boolean;
}

/** Delivers documents to a search engine in lists, by their ids; for a rebuild, into a new index. */
export class SearchSession extends DocumentSession implements SinkSession {
    readonly batchSize: number;
    readonly defaultOperation: SinkOperation;
    private readonly index: string;
    /** The index that receives documents. */
    private readonly target: string;
    /** The beginning of the names of this step's new indexes. */
    private readonly beginning: string;
    private isReady = false;

    constructor(
        private readonly args: SearchArgs,
        private readonly cx: SinkRunContext,
        private readonly engine: SearchEngine,
    ) {
        super(new SentDocuments(args, args.idField, args.sendsId));
        const { batchSize, defaultOperation, index, languageCode, rebuild } = args;
        this.batchSize = batchSize;
        this.defaultOperation = defaultOperation;
        this.index = namedFor(index, languageCode);
        const { pipelineId, pipelineCode, runId } = cx.run;
        this.beginning = `${this.index}_flow_${digest([pipelineId, pipelineCode, cx.stepKey]).slice(0, 8)}_`;
        this.target = rebuild ? `${this.beginning}${digest([runId]).slice(0, 12)}` : this.index;
    }

    check(data: JsonObject): void {
        const id = this.documents.idOf(data);
        this.engine.check?.(id, this.args.idField);
    }

    async deliver(batch: Batch): Promise<readonly Outcome[]> {
        await this.ready();
        const documents = batch.map(({ data }) => this.documentOf(data));
        return inHalves(documents, part => this.engine.write(this.target, part));
    }

    async remove(identities: readonly string[]): Promise<readonly Outcome[]> {
        await this.ready();
        return inHalves(identities, part => this.engine.remove(this.target, part));
    }

    async finish({ lack: gap }: Delivered): Promise<void> {
        const { engine, index, target } = this;
        if (!this.args.rebuild) return engine.settle(index);
        if (gap !== undefined) {
            await engine.drop(target);
            await this.dropLeft();
            return logEvent(this.cx.log, 'INDEX_KEPT', { index, why: gap });
        }
        await engine.settle(target);
        await engine.swap(target, index);
        await this.dropLeft();
        logEvent(this.cx.log, 'INDEX_REBUILT', { index });
    }

    /** Indexes of earlier rebuilds that did not finish, because they failed or their workers died. */
    private async dropLeft(): Promise<void> {
        const found = await this.engine.left(this.beginning);
        for (const name of found) {
            if (name === this.target) continue;
            await this.engine.drop(name);
            logEvent(this.cx.log, 'INDEX_DROPPED', { index: name });
        }
    }

    private documentOf(data: JsonObject): IndexedDocument {
        return { id: this.documents.idOf(data), data: this.documents.of(data) };
    }

    private async ready(): Promise<void> {
        if (this.isReady) return;
        if (this.args.rebuild) await this.engine.create(this.target, this.index);
        await this.engine.prepare?.(this.target);
        this.isReady = true;
    }
}

function digest(parts: readonly string[]): string {
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
