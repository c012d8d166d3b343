import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
    ChannelService,
    EventBus,
    type ID,
    Logger,
    type RequestContext,
    TransactionalConnection,
    TransactionSubscriber,
    type VendureEvent,
} from '@vendure/core';
import { type EntityManager, QueryFailedError, type QueryRunner } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import type { Database } from '../../database/database';
import { databaseError } from '../../database/database-errors';
import { FlowEntitiesChanged } from '../../platform/effects/events';
import { classOfChange, seedOfChange } from '../../platform/events/changed-entities';
import { contextOf, type EventScope, seedRecords, type EventRecords } from '../../platform/events/event-source';
import { FlowEventTriggerOutbox } from '../entities/event-trigger-outbox';
import type { RunCause } from '../entities/run';
import { MAX_CAUSES, CausationChains } from '../runs/causation-chains';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type ActiveTrigger, ActiveTriggers } from '../triggers/active-triggers';
import { EventOutbox, type NewEvent } from './event-outbox';
import { EventQueue } from './event-queue';

const HANDLER = 'flow-event-triggers';
/** The maximum number of entities in one run. More entities start several runs. */
const RECORDS_OF_A_RUN = 5_000;

/** How an event is converted to records. */
interface Telling {
    /** The class that triggers name. */
    readonly name: string;
    /** The channel that the event is about, if this is not the channel in which it happened. */
    concerned(): ID | undefined;
    tell(at: EventScope): EventRecords | Promise<EventRecords>;
}

/**
 * Listens to the events of the shop and stores those for which a trigger waits, in the transaction in which they happen, so that they are
 * rolled back with it. An event without a waiting trigger costs one look-up in a map.
 */
@Injectable()
export class EventCapture implements OnModuleInit {
    private byClass: ReadonlyMap<string, readonly ActiveTrigger[]> = new Map();

    constructor(
        private readonly bus: EventBus,
        private readonly connection: TransactionalConnection,
        private readonly transactions: TransactionSubscriber,
        private readonly channels: ChannelService,
        private readonly triggers: ActiveTriggers,
        private readonly chains: CausationChains,
        private readonly outbox: EventOutbox,
        private readonly queue: EventQueue,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    onModuleInit(): void {
        this.triggers.onChange(() => this.read());
        for (const [name, source] of this.setup.events) {
            const handler = (event: VendureEvent): Promise<void> | undefined =>
                this.hear(event, {
                    name,
                    concerned: () => source.concerns?.(event),
                    tell: at => source.seed(event, at),
                });
            this.bus.registerBlockingEventHandler({ id: HANDLER, event: source.event, handler: async e => handler(e) });
        }
        this.bus.registerBlockingEventHandler({
            id: `${HANDLER}-of-loads`,
            event: FlowEntitiesChanged,
            handler: async event => {
                const name = classOfChange(event);
                if (name === undefined) return;
                await this.hear(event, {
                    name,
                    concerned: () => undefined,
                    tell: ({ shop }) => seedOfChange(event, shop),
                });
            },
        });
    }

    private read(): void {
        const byClass = new Map<string, ActiveTrigger[]>();
        for (const trigger of this.triggers.of('EVENT')) {
            const name = String(trigger.config['event']);
            byClass.set(name, [...(byClass.get(name) ?? []), trigger]);
        }
        this.byClass = byClass;
    }

    private hear(event: VendureEvent, hookCallEnv: Telling): Promise<void> | undefined {
        const waiting = this.byClass.get(hookCallEnv.name);
        return waiting && this.capture(event, waiting, hookCallEnv);
    }

    private async capture(event: VendureEvent, waiting: readonly ActiveTrigger[], hookCallEnv: Telling): Promise<void> {
        const ctx = contextOf(event);
        const happenedIn = ctx?.channelId ?? (await this.channels.getDefaultChannel()).id;
        const concerned = (await guarded(hookCallEnv, () => hookCallEnv.concerned())) ?? happenedIn;
        const channels = new Set([happenedIn, concerned].map(String));
        const here = waiting.filter(({ channelId }) => channels.has(String(channelId)));
        if (here.length === 0) return;
        const shop = this.shopOf(ctx);
        const causes = await this.chains.current(shop);
        const desired = causes ? here.filter(trigger => mayFire(trigger, causes)) : [];
        if (!causes || desired.length === 0 || isTooLong(causes, hookCallEnv.name)) return;
        const rows: NewEvent[] = [];
        for (const [channelId, triggers] of byChannel(desired)) {
            const records = await seedFor(event, hookCallEnv, { channelId, shop });
            rows.push(...rowsOf(triggers, { event: hookCallEnv.name, records, causes }));
        }
        if (rows.length > 0) await this.store(rows, shop);
    }

    /** Reads and writes in the transaction of the event; without a transaction if none is open. */
    private shopOf(ctx: RequestContext | undefined): EntityManager {
        const { rawConnection } = this.connection;
        const { manager } = ctx ? this.connection.getRepository(ctx, FlowEventTriggerOutbox) : rawConnection;
        return manager.queryRunner?.isTransactionActive ? manager : rawConnection.manager;
    }

    private async store(rows: readonly NewEvent[], shop: EntityManager): Promise<void> {
        await this.database.within(shop, () => this.outbox.insert(rows));
        if (shop.queryRunner?.isTransactionActive) void this.hintWhenCommitted(shop.queryRunner);
        else this.queue.hint();
    }

    private async hintWhenCommitted(queryRunner: QueryRunner): Promise<void> {
        try {
            await this.transactions.awaitCommit(queryRunner);
            this.queue.hint();
        } catch {
            // After a rollback there are no such rows. Otherwise the sweep finds them.
        }
    }
}

/** A pipeline is not started again by what it has caused itself. */
function mayFire({ pipelineCode, config }: ActiveTrigger, causes: readonly RunCause[]): boolean {
    return config['includeOwnChanges'] === true || !causes.some(cause => cause.pipelineCode === pipelineCode);
}

function isTooLong(causes: readonly RunCause[], name: string): boolean {
    if (causes.length <= MAX_CAUSES) return false;
    const first = causes[0]!;
    Logger.warn(
        `A ${name} starts no run: ${causes.length} pipelines have led to it, one after the other, from run ${first.runId} of "${first.pipelineCode}" on; allowed: ${MAX_CAUSES}.`,
        LOG_CONTEXT,
    );
    return true;
}

function byChannel(triggers: readonly ActiveTrigger[]): ReadonlyMap<ID, readonly ActiveTrigger[]> {
    const channels = new Map<ID, ActiveTrigger[]>();
    for (const trigger of triggers)
        channels.set(trigger.channelId, [...(channels.get(trigger.channelId) ?? []), trigger]);
    return channels;
}

async function seedFor(event: VendureEvent, hookCallEnv: Telling, at: EventScope): Promise<readonly JsonObject[]> {
    const happening = { event: hookCallEnv.name, occurredAt: event.createdAt, channelId: at.channelId };
    return (await guarded(hookCallEnv, async () => seedRecords(happening, await hookCallEnv.tell(at)))) ?? [];
}

/**
 * Executes code of the shop that describes an event. If it throws, Flow loses this event and logs the error; otherwise the shop's operation
 * would be rolled back. A failing database rolls it back anyway.
 */
async function guarded<T>({ name }: Telling, say: () => T | Promise<T>): Promise<T | undefined> {
    try {
        return await say();
    } catch (error) {
        if (isOfDatabase(error)) throw error;
        Logger.error(`A ${name} does not start a run, because its data cannot be read. ${String(error)}`, LOG_CONTEXT);
        return undefined;
    }
}

/** A seed reads with TypeORM, which throws a QueryFailedError if a statement fails. A broken connection is reported by the driver. */
function isOfDatabase(error: unknown): boolean {
    if (error instanceof QueryFailedError) return true;
    try {
        return databaseError(error).treat === 'transient';
    } catch {
        // An error in the seed's code.
        return false;
    }
}

/** Builds a row for each trigger. */
function rowsOf(
    triggers: readonly ActiveTrigger[],
    {
        event,
        records,
        causes,
    }: { readonly event: string; readonly records: readonly JsonObject[]; readonly causes: readonly RunCause[] },
): readonly NewEvent[] {
    const rows: NewEvent[] = [];
    for (let from = 0; from < records.length; from += RECORDS_OF_A_RUN) {
        const seed = records.slice(from, from + RECORDS_OF_A_RUN);
        for (const { pipelineId, revisionId, stepKey, channelId } of triggers)
            rows.push({ pipelineId, revisionId, triggerKey: stepKey, channelId, event, seed, causes });
    }
    return rows;
}
