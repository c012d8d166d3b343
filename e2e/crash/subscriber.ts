import type { OnApplicationBootstrap } from '@nestjs/common';
import { EventBus, PluginCommonModule, type Type, type VendureConfig, VendurePlugin } from '@vendure/core';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { FlowGateApproved, FlowGateRejected, FlowRunCancelled, FlowRunCompleted, FlowRunPaused } from '../../src';

const EVENTS = [FlowRunCompleted, FlowRunCancelled, FlowRunPaused, FlowGateApproved, FlowGateRejected];
type Heard = Type<FlowRunCompleted>;

/** A file next to the delivery that outlives the processes. */
const heardFile = (delivery: string): string => `${delivery}.heard`;

/** A subscriber in each process that stores the run events that it receives. */
export function subscriber(delivery: string): NonNullable<VendureConfig['plugins']>[number] {
    @VendurePlugin({ imports: [PluginCommonModule] })
    class SubscriberPlugin implements OnApplicationBootstrap {
        constructor(private readonly bus: EventBus) {}

        onApplicationBootstrap(): void {
            for (const event of EVENTS as readonly Heard[])
                this.bus.registerBlockingEventHandler({
                    id: `heard-${event.name}`,
                    event,
                    handler: ({ run }) => appendFileSync(heardFile(delivery), `${event.name} ${String(run.runId)}\n`),
                });
        }
    }
    return SubscriberPlugin;
}

/** How often subscribers received this event of a run. */
export function heard({ order }: { readonly order: { readonly delivery: string } }, event: string, id: string): number {
    const file = heardFile(order.delivery);
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    return lines.filter(line => line === `${event} ${id.replace('T_', '')}`).length;
}
