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
        summary: "Starts the pipeline when something happens in the shop, in the pipeline's own channel.",
        config: z.strictObject({
            enabled: z
                .boolean()
                .default(true)
                .meta({ title: 'Enabled', description: 'A trigger that is not enabled starts nothing.' }),
            event: z.enum(classes).meta({
                title: 'Event',
                description:
                    'The exact name of its class. All events of the class start a run; conditions belong in a step.',
            }),
            includeOwnChanges: z.boolean().default(false).meta({
                title: 'Include own changes',
                description:
                    'True: changes that the pipeline makes itself, or that follow from what it did, start it as well. It must come to an end by itself then.',
            }),
        }),
    });
}

/** The trigger EVENT: an event of the shop starts the pipeline. */
export const event = eventTrigger(PLATFORM_EVENTS);
