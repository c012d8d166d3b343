import { isGraphQlErrorResult, type RequestContext } from '@vendure/core';
import type { RunMode } from '../../core/adapter/context';
import type { Change, ServiceSession } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import type { FlowRecord } from '../../core/data/record';
import { withDatabaseErrors } from '../../database/database-errors';
import { RecordIssues, quoted, trimIn } from '../entities/record-issues';
import type { Strategy } from '../entities/load-arguments';
import { oncePerBatch } from '../entities/once-per-batch';
import type { Deleting } from '../lookup/deleting';
import type { RunChannel } from '../lookup/run-channel';
import type { VendurePlatform } from '../context';
import { PlannedState } from './planned-state';
import { type ServiceRecord, readServiceRecord } from './read-service-record';
import type { ServiceChannels } from './service-channels';
import type { RecordNames } from './service-config';
import type { EntityService, ServiceEntity } from './service-entity';
import { ServiceOperations } from './service-operations';
import { type RequestedRecord, type ServiceDecision, ServicePlan } from './service-plan';
import { ServiceStore } from './service-store';
import { ServiceWork } from './service-work';

interface Rules {
    readonly platform: VendurePlatform;
    readonly names: RecordNames;
    readonly mode: RunMode;
    readonly channel: RunChannel;
    /** Of entities that are assigned to channels. */
    readonly channels: ServiceChannels | undefined;
    readonly strategy: Strategy;
    readonly deleting: Deleting;
    overflow(isFull: boolean): void;
}

/** One record after another, by the service of its kind. */
export class ServiceLoaderSession implements ServiceSession {
    private readonly work: ServiceWork;
    private readonly store: ServiceStore;
    private readonly operations: ServiceOperations;
    private readonly service: EntityService;
    private readonly plan: ServicePlan;
    /** Whether the service was called in the transaction of the last record. */
    private hasAsked = false;
    private readonly read = oncePerBatch(({ data }) => readServiceRecord(data, this.reading));

    constructor(
        private readonly entity: ServiceEntity,
        private readonly rules: Rules,
    ) {
        const { platform, mode, channel, channels } = rules;
        this.work = new ServiceWork(platform, mode, rules.overflow);
        this.operations = new ServiceOperations(entity, this.work, channel.code);
        this.store = new ServiceStore(entity, { work: this.work, operations: this.operations, channel, channels });
        this.service = entity.open(platform);
        const { store, operations, service } = this;
        this.plan = new ServicePlan({ ...rules, entity, store, operations, service, language: channel.language });
    }

    private get reading(): Parameters<typeof readServiceRecord>[1] {
        const { entity, store, operations } = this;
        return { ...this.rules, entity, store, operations };
    }

    locks(record: FlowRecord): readonly string[] {
        const [{ key }] = this.read([record]) as readonly [ServiceRecord];
        const { name } = this.entity;
        return key === undefined ? [] : [`${name.charAt(0).toLowerCase()}${name.slice(1)}:${key}`];
    }

    trimmed(batch: readonly FlowRecord[]): ReturnType<typeof trimIn> {
        return trimIn(this.read(batch));
    }

    async dryRun(record: FlowRecord): Promise<Change> {
        const { ctx } = this.rules.platform;
        const planned = PlannedState.of(ctx, this.entity);
        const deciding = withDatabaseErrors(() => this.decide(ctx, record, planned));
        const { change, id, values } = await deciding.finally(() => this.work.settle());
        if (change.action === 'delete') this.rules.overflow(planned.put(change.key, { id }));
        else if (change.action !== 'unchanged') this.rules.overflow(planned.put(change.key!, { id, values }));
        return change;
    }

    async loadOne(own: unknown, record: FlowRecord): Promise<Change> {
        const ctx = own as RequestContext;
        this.hasAsked = false;
        const { change, ask } = await this.decide(ctx, record);
        if (change.action === 'unchanged') return change;
        this.hasAsked = true;
        for await (const answer of ask(ctx)) refuseWhere(answer, ctx);
        // Services refresh what they keep when they write, but not when they delete.
        if (change.action === 'delete') await this.service.refresh?.(ctx);
        return change;
    }

    /** What the service keeps of the tables was read within the transaction. */
    async undone(): Promise<void> {
        if (this.hasAsked) await this.service.refresh?.(this.rules.platform.ctx);
    }

    private async decide(
        ctx: RequestContext,
        record: FlowRecord,
        plannedState?: PlannedState,
    ): Promise<ServiceDecision> {
        const [read] = this.read([record]) as readonly [ServiceRecord];
        await read.faults.settle();
        const issues = new RecordIssues(read.faults);
        if (!issues.isSound) throw issues.error();
        const key = read.key!;
        const { called, key: field } = this.entity;
        const known = plannedState?.get(key);
        const found = known ?? (await this.store.find(ctx, key));
        const at = this.rules.names[field]!;
        if (found.length > 1) issues.add(at, `is ${quoted(key)}; ${found.length} ${called[1]} have this ${field}`, key);
        const requested: RequestedRecord = { ctx, key, faults: issues, stored: found[0], planned: plannedState };
        const { plan } = this;
        const decided =
            issues.count > 0
                ? undefined
                : await (read.isDelete ? plan.remove(requested) : plan.upsert(requested, read));
        if (!decided || issues.count > 0) throw issues.error();
        return decided;
    }
}

/** Throws if a service has returned an error result; what it has written by then is rolled back. */
function refuseWhere(answer: unknown, ctx: RequestContext): void {
    if (isGraphQlErrorResult(answer as object | undefined)) {
        const { message } = answer as { readonly message: string };
        const key = `errorResult.${message}`;
        const text = ctx.translate(key, { ...(answer as object) });
        throw flowError('SERVICE_REFUSED', { problem: text === key ? message : text });
    }
    const { result, message } = (answer ?? {}) as { readonly result?: string; readonly message?: string };
    if (result === 'NOT_DELETED') throw flowError('SERVICE_REFUSED', { problem: message ?? 'it was not deleted' });
}
