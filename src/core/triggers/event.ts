import { z } from 'zod';
import { defineTrigger } from '../adapter/trigger';

/** The classes of platform events that EVENT triggers know. */
export const PLATFORM_EVENTS = [
    'ProductEvent',
    'ProductVariantEvent',
    'ProductVariantPriceEvent',
    'ProductChannelEvent',
    'ProductVariantChannelEvent',
    'CollectionEvent',
    'CollectionModificationEvent',
    'FacetEvent',
    'FacetValueEvent',
    'AssetEvent',
    'StockMovementEvent',
    'OrderEvent',
    'OrderPlacedEvent',
    'OrderStateTransitionEvent',
    'PaymentStateTransitionEvent',
    'RefundStateTransitionEvent',
    'FulfillmentStateTransitionEvent',
    'CustomerEvent',
    'CustomerAddressEvent',
    'CustomerGroupEvent',
    'AccountRegistrationEvent',
    'PromotionEvent',
    'CouponCodeEvent',
    'TaxRateEvent',
    'ShippingMethodEvent',
    'PaymentMethodEvent',
    'ChannelEvent',
] as const;
export type PlatformEventName = (typeof PLATFORM_EVENTS)[number];

/** The trigger type EVENT for the known classes of events: those of the platform, and those that the shop adds. */
export function eventTrigger(classes: readonly string[]) {
    return defineTrigger({
        code: 'EVENT',
        title: 'Event of the shop',
        summary: 'Starts the pipeline when an event happens in the shop, in the channel of the pipeline.',
        config: z.strictObject({
            enabled: z
                .boolean()
                .default(true)
                .meta({ title: 'Enabled', description: 'A disabled trigger does not start runs.' }),
            event: z.enum(classes).meta({
                title: 'Event',
                description:
                    'The exact class name of the event. Every event of this class starts a run; put conditions into a step.',
            }),
            includeOwnChanges: z.boolean().default(false).meta({
                title: 'Include own changes',
                description: 'If true, changes made by the pipeline itself also start it. Make sure that this ends.',
            }),
        }),
    });
}

/** The trigger EVENT: an event of the shop starts the pipeline. */
export const event = eventTrigger(PLATFORM_EVENTS);
