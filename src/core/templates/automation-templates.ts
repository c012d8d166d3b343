import { type BuiltinTemplate, csvTextOf, templatePipeline } from './pipeline-template';

const ARTICLES = [
    { sku: 'LA-1', name: 'Desk lamp', price: '49.00', stock: '12' },
    { sku: 'LA-2', name: 'Floor lamp', price: '129.90', stock: '3' },
];

const ORDER = {
    id: '12',
    code: 'T4KQ9XW2',
    state: 'PaymentSettled',
    currencyCode: 'EUR',
    customer: { firstName: 'Anna', lastName: 'Lund', emailAddress: 'anna@example.com' },
    lines: [{ quantity: 2, listPrice: 4995, productVariant: { sku: 'LAMP-1', name: 'Desk lamp' } }],
    shippingLines: [{ listPrice: 500 }],
};

/** Reactions to what happens in the shop, and approvals. */
export const automationTemplates: readonly BuiltinTemplate[] = [
    {
        code: 'orders-to-erp',
        group: 'AUTOMATION',
        title: 'Orders to a webhook',
        description:
            'Sends each placed order with its lines and customer to an ERP or another service at once, signed.',
        guide: 'sending-records.md#webhooks',
        notes: ['Set the address of the receiver in the step erp.'],
        sample: [ORDER],
        definition: templatePipeline('orders-to-erp')
            .trigger('placed', { type: 'EVENT', event: 'OrderPlacedEvent' })
            .extract('order', {
                adapterCode: 'platformQuery',
                entity: 'ORDER',
                seedMode: 'LOOKUP',
                relations: ['customer', 'lines.productVariant', 'shippingLines'],
            })
            .sink('erp', {
                adapterCode: 'webhook',
                url: 'https://erp.example.com/hooks/orders',
                hmacSecretCode: 'erp-signing',
                standardWebhooks: true,
                idField: 'id',
            })
            .build().definition,
    },
    {
        code: 'stock-to-queue',
        group: 'AUTOMATION',
        title: 'Stock movements to RabbitMQ',
        description: 'Publishes each stock movement of the shop to a queue.',
        guide: 'sending-records.md#queues',
        notes: ['Install the package amqplib on the server.', 'Create the queue stock in the broker.'],
        sample: [{ id: '40', productVariantId: '1', stockLocationId: '1', movementType: 'SALE' }],
        definition: templatePipeline('stock-to-queue')
            .trigger('moved', { type: 'EVENT', event: 'StockMovementEvent' })
            .sink('queue', {
                adapterCode: 'queueProducer',
                queueType: 'RABBITMQ',
                connectionCode: 'warehouse-queue',
                queueName: 'stock',
                headers: { shop: 'main' },
            })
            .build().definition,
    },
    {
        code: 'approve-expensive-products',
        group: 'AUTOMATION',
        title: 'Approve expensive products before import',
        description: 'Routes records by price. Expensive products wait for approval.',
        guide: 'gates.md',
        sample: ARTICLES,
        definition: templatePipeline('approve-expensive-products')
            .trigger('start', { type: 'MANUAL' })
            .extract('articles', { adapterCode: 'csv', csvText: csvTextOf(ARTICLES) })
            .transform('numbers', [
                { op: 'trim', args: { path: 'sku' } },
                { op: 'trim', args: { path: 'name' } },
                { op: 'validateRequired', args: { fields: ['sku', 'name', 'price'] } },
                { op: 'toCents', args: { source: 'price', target: 'price' } },
                { op: 'toNumber', args: { source: 'stock' } },
                { op: 'slugify', args: { source: 'name', target: 'slug' } },
            ])
            .route('how-much', {
                branches: [{ name: 'costly', when: [{ field: 'price', cmp: 'gte', value: 10_000 }] }],
            })
            .gate('approval', { approvalType: 'MANUAL' })
            .load('products', { adapterCode: 'productUpsert', matchBy: 'sku' })
            .edge('start', 'articles')
            .edge('articles', 'numbers')
            .edge('numbers', 'how-much')
            .edge('how-much', 'approval', 'costly')
            .edge('how-much', 'products', 'default')
            .edge('approval', 'products')
            .build().definition,
    },
];
