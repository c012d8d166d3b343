import { createHash } from 'node:crypto';
import type { Delivered, Outcome } from '../../core/adapter/loader';
import { trustedLine } from '../../core/adapter/trusted-line';
import type { SinkOperation, SinkSession, SinkRunContext } from '../../core/adapter/sink';
import type { Batch } from '../../core/data/record';
import type { JsonObject } from '../../core/value/json';
import { type CommonArgs, namedFor } from './common-fields';
import { DocumentSession, SentDocuments } from './documents';
import { inHalves, type ListOutcome } from '../../core/adapter/split-delivery';

/** A document and what the index knows it by. */
export interface IndexedDocument {
    readonly id: string;
    readonly data: JsonObject;
}

/** What a search engine is asked; one thing after another. Throws for what is about no document. */
export interface SearchEngine {
    /** Makes an index ready, before the first document of a session comes to it. */
    prepare?(index: string): Promise<void>;
    /** Puts whole documents into an index, in the place of those with their ids. */
    write(index: string, documents: readonly IndexedDocument[]): Promise<ListOutcome>;
    /** Takes documents out; those that are not there are gone. */
    remove(index: string, ids: readonly string[]): Promise<ListOutcome>;
    /** Waits until all is done that was asked, and has it searched. */
    settle(index: string): Promise<void>;
    /** Throws a record error for an id that the engine cannot have. */
    check?(id: string, idField: string): void;
    /** Makes an index that is like another one and has no documents; nothing where it is there. */
    create(fresh: string, like: string): Promise<void>;
    /** Puts a new index in the place of another one at once, and drops that; nothing where it was done before. */
    swap(fresh: string, index: string): Promise<void>;
    /** The indexes whose names begin so. */
    left(beginning: string): Promise<readonly string[]>;
    /** Drops an index; nothing where there is none. */
    drop(index: string): Promise<void>;
}

/** What the sinks of search engines are configured with alike. */
export interface SearchArgs extends CommonArgs {
    /** With its placeholder. */
    readonly index: string;
    readonly idField: string;
    readonly rebuild: boolean;
    /** Documents hold their id under `idField`; otherwise the engine puts it where it has ids. */
    readonly sendsId?: boolean;
}

/** Delivers to a search engine: documents by their ids, in lists, and where it is asked to into a new index. */
export class SearchSession extends DocumentSession implements SinkSession {
    readonly batchSize: number;
    readonly defaultOperation: SinkOperation;
    private readonly index: string;
    /** Where documents go. */
    private readonly target: string;
    /** How all of this step's new indexes begin. */
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
            const text = `The index "${index}" stays as it was, and what was to take its place is dropped: ${gap}.`;
            return trustedLine(this.cx.log, 'WARN', text);
        }
        await engine.settle(target);
        await engine.swap(target, index);
        await this.dropLeft();
        trustedLine(this.cx.log, 'INFO', `The index "${index}" was rebuilt and has replaced the old one.`);
    }

    /** What rebuilds have left that came to no end: their workers died, or they failed. */
    private async dropLeft(): Promise<void> {
        const found = await this.engine.left(this.beginning);
        for (const name of found) {
            if (name === this.target) continue;
            await this.engine.drop(name);
            trustedLine(this.cx.log, 'INFO', `The index "${name}" is dropped: an earlier rebuild has left it.`);
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
