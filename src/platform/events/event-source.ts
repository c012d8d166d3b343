import { type ID, RequestContext, type Type, type VendureEvent } from '@vendure/core';
import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../core/value/json';

/** The seed fields of one subject of an event: identifiers and states, without undefined values. */
export type SeedFields = Readonly<Record<string, unknown>>;

/** The seed of an event: one record or several. */
export type EventRecords = SeedFields | readonly SeedFields[];

/** The channel and the connection for which an event is read. */
export interface EventScope {
    /** The channel of the pipelines. */
    readonly channelId: ID;
    /** Reads within the event's own transaction. */
    readonly shop: EntityManager;
}

/** A class of events that EVENT triggers may name, and the seed of their runs. */
export interface EventSource<E extends VendureEvent = VendureEvent> {
    readonly event: Type<E>;
    /** A record, or one for each entity that the event is about. */
    seed(event: E, at: EventScope): EventRecords | Promise<EventRecords>;
    /** The channel that the event is about, where that is another one than the one in which it happened. */
    concerns?(event: E): ID;
}

/** The request in which an event happened, found as Vendure's EventBus finds it; undefined where it has none. */
export function contextOf(event: VendureEvent): RequestContext | undefined {
    return Object.values(event).find(value => value instanceof RequestContext);
}

/** What every seed begins with. */
interface DomainEvent {
    /** The name of the event's class. */
    readonly event: string;
    readonly occurredAt: Date;
    readonly channelId: ID;
}

/**
 * Flat records of JSON. The fields of the event itself cannot be overwritten by its seed. Throws TypeError for a value that JSON cannot represent.
 */
export function seedRecords(
    { event, occurredAt, channelId }: DomainEvent,
    eventRecords: EventRecords,
): readonly JsonObject[] {
    const own = { event, occurredAt: occurredAt.toISOString(), channelId };
    return (Array.isArray(eventRecords) ? (eventRecords as readonly SeedFields[]) : [eventRecords as SeedFields]).map(
        fields => {
            if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
                throw new TypeError(`the seed of ${event} has a record of type ${kindOf(fields)}; allowed: objects`);
            return JSON.parse(JSON.stringify({ ...own, ...fields, ...own })) as JsonObject;
        },
    );
}

function kindOf(value: unknown): string {
    if (value === null) return 'null';
    return Array.isArray(value) ? 'list' : typeof value;
}
