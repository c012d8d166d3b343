import {
    ConfigService,
    CountryService,
    Customer,
    type ID,
    I18nError,
    ProductVariant,
    ProductVariantService,
    type RequestContext,
    ShippingMethod,
    TransactionalConnection,
} from '@vendure/core';
import { In, IsNull } from 'typeorm';
import type { JsonObject } from '../../core/value/json';
import type { VendurePlatform } from '../context';
import { type RecordIssues, known, quoted } from '../entities/record-issues';
import type { ServiceCustomFields } from '../services/service-custom-fields';
import type { LiveLine } from './live-record';

interface Asking {
    readonly ctx: RequestContext;
    readonly faults: RecordIssues;
}

/** What the differing fields of an order name. */
export interface NamedByOrder {
    readonly variants: ReadonlyMap<string, ID>;
    readonly customer: ID | undefined;
    readonly shippingMethods: readonly ID[] | undefined;
}

/** Finds the entities that an order names in its shop, and reports problems before a service is called. Reads only. */
export class LiveShop {
    private readonly connection: TransactionalConnection;
    private readonly variants: ProductVariantService;
    private readonly countries: CountryService;
    private readonly limits: { readonly orderItemsLimit: number; readonly orderLineItemsLimit: number };

    constructor({ injector }: VendurePlatform) {
        this.connection = injector.get(TransactionalConnection);
        this.variants = injector.get(ProductVariantService);
        this.countries = injector.get(CountryService);
        this.limits = injector.get(ConfigService).orderOptions;
    }

    /** The variants of which an order gets more, by SKU; the stock of placed lines is already allocated. */
    async variantsOf(
        { ctx, faults: issues }: Asking,
        lines: readonly LiveLine[],
        { before, isPlaced }: { readonly before: ReadonlyMap<string, number>; readonly isPlaced: boolean },
    ): Promise<ReadonlyMap<string, ID>> {
        const more = lines.filter(({ sku, quantity }) => quantity > (before.get(sku) ?? 0));
        if (more.length === 0) return new Map();
        const found = await this.connection.getRepository(ctx, ProductVariant).find({
            where: { sku: In(more.map(({ sku }) => sku)), deletedAt: IsNull(), channels: { id: ctx.channelId } },
            relations: { product: true, taxCategory: true, productVariantPrices: true },
        });
        const ids = new Map<string, ID>();
        for (const line of more) {
            const variants = found.filter(({ sku, product }) => sku === line.sku && product.deletedAt === null);
            const [variant] = variants;
            const problem =
                variants.length > 1
                    ? `${variants.length} variants of the channel have this SKU`
                    : variant === undefined
                      ? 'no variant of the channel has this SKU'
                      : await this.variantProblem(ctx, variant);
            if (problem !== undefined) issues.add(`${line.path}.sku`, `is ${quoted(line.sku)}; ${problem}`, line.sku);
            else {
                const held = isPlaced ? (before.get(line.sku) ?? 0) : 0;
                await this.checkQuantity({ ctx, faults: issues }, line, { variant: variant!, held });
            }
            if (variant) ids.set(line.sku, variant.id);
        }
        this.checkCount(issues, lines);
        return ids;
    }

    private async variantProblem(ctx: RequestContext, variant: ProductVariant): Promise<string | undefined> {
        if (!variant.enabled || !variant.product.enabled) return 'the variant with this SKU is not for sale';
        // Without a price of the channel Vendure sells it for nothing.
        const hasPrice = await this.variants.applyChannelPriceAndTax(variant, ctx, undefined, true).then(
            () => true,
            (error: unknown) => {
                if (error instanceof I18nError) return false;
                throw error;
            },
        );
        return hasPrice ? undefined : `the variant with this SKU has no price in ${ctx.currencyCode}`;
    }

    private async checkQuantity(
        { ctx, faults: issues }: Asking,
        { path, quantity }: LiveLine,
        { variant, held }: { readonly variant: ProductVariant; readonly held: number },
    ): Promise<void> {
        const { orderLineItemsLimit } = this.limits;
        const saleable = held + (await this.variants.getSaleableStockLevel(ctx, variant));
        const refuse = (problem: string): void =>
            issues.add(`${path}.quantity`, `is ${quantity}; ${problem}`, quantity);
        if (quantity > orderLineItemsLimit) refuse(`the shop sells at most ${orderLineItemsLimit} on a line`);
        else if (quantity > saleable) refuse(`the shop has ${Math.max(saleable, 0)} of them for sale`);
    }

    private checkCount(issues: RecordIssues, lines: readonly LiveLine[]): void {
        const { orderItemsLimit } = this.limits;
        const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
        const { path } = lines.at(-1)!;
        if (count > orderItemsLimit)
            issues.add(
                `${path}.quantity`,
                `makes ${count} items; the shop sells at most ${orderItemsLimit} in an order`,
            );
    }

    async customer({ ctx, faults: issues }: Asking, path: string, emailAddress: string): Promise<ID | undefined> {
        const found = await this.connection.getRepository(ctx, Customer).find({
            where: { emailAddress, deletedAt: IsNull(), channels: { id: ctx.channelId } },
        });
        const those = found.filter(one => one.emailAddress === emailAddress);
        if (those.length === 0)
            issues.add(path, `is ${quoted(emailAddress)}; no customer of the channel has this address`, emailAddress);
        if (those.length > 1)
            issues.add(path, `is ${quoted(emailAddress)}; ${those.length} customers have this address`, emailAddress);
        return those[0]?.id;
    }

    async shippingMethods(
        { ctx, faults: issues }: Asking,
        path: string,
        codes: readonly string[],
    ): Promise<readonly ID[]> {
        const all = await this.connection.getRepository(ctx, ShippingMethod).find({
            where: { deletedAt: IsNull(), channels: { id: ctx.channelId } },
        });
        return codes.flatMap((code, i) => {
            const found = all.filter(one => one.code === code);
            const refuse = (problem: string): void =>
                issues.add(`${path}.${i}.method`, `is ${quoted(code)}; ${problem}`, code);
            if (found.length === 0) refuse(known(all.map(one => one.code)));
            if (found.length > 1) refuse(`${found.length} shipping methods have this code`);
            return found.slice(0, 1).map(({ id }) => id);
        });
    }

    /** Checks that the targets of custom fields exist: Vendure omits missing ones of a list without an error. */
    async checkRelations(
        patternCheck: Asking,
        {
            custom,
            values,
            path,
        }: { readonly custom: ServiceCustomFields; readonly values: JsonObject; readonly path: string },
    ): Promise<void> {
        for (const config of custom.configs) {
            const value = values[config.name];
            if (config.type !== 'relation' || value === undefined || value === null) continue;
            const ids = [value].flat() as readonly ID[];
            const found = await this.connection
                .getRepository(patternCheck.ctx, config.entity)
                .find({ where: { id: In([...ids]) }, select: { id: true }, loadEagerRelations: false });
            const there = new Set(found.map(({ id }) => String(id)));
            const lost = ids.find(id => !there.has(String(id)));
            if (lost !== undefined)
                patternCheck.faults.add(
                    `${path}.${config.name}`,
                    `is ${quoted(lost)}; nothing in the shop has this id`,
                    lost,
                );
        }
    }

    async checkCountry({ ctx, faults: issues }: Asking, path: string, code: string): Promise<void> {
        try {
            await this.countries.findOneByCode(ctx, code);
        } catch (error) {
            if (!(error instanceof I18nError)) throw error;
            issues.add(path, `is ${quoted(code)}; no country of the shop has this code`, code);
        }
    }
}
