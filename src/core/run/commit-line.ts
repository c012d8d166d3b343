import { addCounters, type Counters } from '../progress/counters';
import { newest, type StoredMemo } from '../progress/memos';
import type { JsonObject } from '../value/json';
import type { Commit, HeldBatch, Position } from '../ports/ports';

/** The result of a settled batch. */
export interface Settled {
    readonly counters: Counters;
    readonly memos: readonly StoredMemo[];
    /** The records of the batch that steps hold; undefined if no step has ever held any. */
    readonly held?: HeldBatch | undefined;
}

/** A batch's place in the line of its source. */
export interface Ticket {
    readonly position: Position;
    /** False for the end of the source, which is not a batch. */
    readonly isBatch: boolean;
    /** The actions that the source requests once the run has succeeded. */
    readonly actions: readonly JsonObject[];
    /** Set when the batch has settled or is to be held. */
    settled?: Settled;
}

export interface CommitLineEnv {
    commit(commit: Commit): Promise<void>;
    /** Reports that this number of additional batches is finished and durable. */
    landed(batches: number): void;
    failed(error: unknown): void;
    /** True once nothing may be written any more. */
    isClosed(): boolean;
}

/**
 * Positions commit in source order, after settlement. Batches settle in any order; the line advances over
 * those at its front that have, and hands the newest of them to the store, one write at a time.
 *
 * Invariant: a position is never committed while a batch before it has not settled.
 */
export class CommitLine {
    private readonly tickets: Ticket[] = [];
    private writing: Promise<void> | undefined;
    private broken = false;

    constructor(
        private readonly sourceKey: string,
        private readonly env: CommitLineEnv,
    ) {}

    enter(position: Position, isBatch: boolean, actions: readonly JsonObject[] = []): Ticket {
        const ticket: Ticket = { position, isBatch, actions };
        this.tickets.push(ticket);
        return ticket;
    }

    settle(ticket: Ticket, settled: Settled): void {
        ticket.settled = settled;
        if (!this.writing && this.tickets[0]?.settled) this.writing = this.write();
    }

    /** Resolves when everything that could be committed so far is. */
    async flush(): Promise<void> {
        await this.writing;
    }

    private async write(): Promise<void> {
        try {
            for (let settled = this.settledPrefix(); settled.length > 0; settled = this.settledPrefix()) {
                const commit = this.coalesce(settled);
                await this.env.commit(commit);
                this.env.landed(commit.batches);
            }
        } catch (error) {
            this.broken = true;
            this.env.failed(error);
        } finally {
            this.writing = undefined;
        }
    }

    /** Takes the settled tickets off the front. Takes nothing after a failed write, because a later position would leave a gap. */
    private settledPrefix(): readonly Ticket[] {
        if (this.broken || this.env.isClosed()) return [];
        const hole = this.tickets.findIndex(ticket => !ticket.settled);
        return this.tickets.splice(0, hole < 0 ? this.tickets.length : hole);
    }

    private coalesce(settled: readonly Ticket[]): Commit {
        const actions = settled.flatMap(ticket => ticket.actions);
        return {
            sourceKey: this.sourceKey,
            position: settled[settled.length - 1]!.position,
            counters: settled.reduce<Counters>((sum, ticket) => addCounters(sum, ticket.settled!.counters), {}),
            batches: settled.filter(ticket => ticket.isBatch).length,
            memos: newest(settled.flatMap(ticket => ticket.settled!.memos)),
            held: settled.flatMap(ticket => ticket.settled!.held ?? []),
            ...(actions.length > 0 && { actions }),
        };
    }
}
