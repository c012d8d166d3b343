import type { CollectionFilter } from '@vendure/core';
import { readTimestamp } from '../../core/data/timestamp';
import type { JsonValue } from '../../core/value/json';
import { customerGroup } from '../entity-descriptions/customer';
import { facetValue } from '../entity-descriptions/facet-value';
import { product } from '../entity-descriptions/product';
import { variant } from '../entity-descriptions/variant';
import type { EntityDescription } from '../entities/description';
import { flagProblem, isBlank, textProblem, invalidText } from '../entities/read-field';

/** A configurable operation as a shop defines it; Vendure exports no type for the common part of all kinds. */
export type OperationDefinition = Pick<CollectionFilter, 'code' | 'args'>;

/** An argument of one: type, list or not, default, and the form field by which people enter it. */
export type ArgumentDefinition = OperationDefinition['args'][string];

/** Entities to which arguments of operations refer by id; `called` is the field by which records name one. */
export interface NamedKind {
    readonly entity: EntityDescription;
    readonly called: string;
}

const facetValues: NamedKind = { entity: facetValue, called: '"facet:value"' };
const variants: NamedKind = { entity: variant, called: 'a SKU' };
const products: NamedKind = { entity: product, called: "a product's slug" };
const customerGroups: NamedKind = { entity: customerGroup, called: "a customer group's name" };

/**
 * The kind of entities whose ids an argument has. Vendure's definitions show it only by their form fields; undefined
 * if they do not.
 */
export function kindOfIds({ type, ui }: ArgumentDefinition): NamedKind | undefined {
    if (type !== 'ID') return undefined;
    switch (ui?.component) {
        case 'facet-value-form-input':
            return facetValues;
        case 'product-selector-form-input':
            return variants;
        case 'product-multi-form-input':
            return ui['selectionMode'] === 'variant' ? variants : products;
        case 'customer-group-form-input':
            return customerGroups;
        default:
            return undefined;
    }
}

/** What is wrong with one value of an argument; undefined if nothing is. */
export function argumentProblem(definition: ArgumentDefinition, value: JsonValue): string | undefined {
    switch (definition.type) {
        case 'boolean':
            return typeof value === 'boolean' ? undefined : flagProblem(value);
        case 'int':
        case 'float':
            return numberProblem(definition, value);
        case 'datetime':
            return typeof value === 'string' && readTimestamp(value) !== undefined
                ? undefined
                : invalidText(value, 'allowed: a date and time as in "2026-07-01T00:00:00Z"');
        case 'ID':
            return idProblem(value, kindOfIds(definition)?.called ?? 'an id');
        default:
            return choiceProblem(definition, value);
    }
}

function idProblem(value: JsonValue, called: string): string | undefined {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return undefined;
    if (typeof value !== 'string' || isBlank(value)) return invalidText(value, `allowed: ${called}`);
    return textProblem(value, undefined);
}

function numberProblem({ type, ui }: ArgumentDefinition, value: JsonValue): string | undefined {
    const [min, max] = [boundOf(ui?.['min']), boundOf(ui?.['max'])];
    const isSound =
        typeof value === 'number' &&
        (type === 'float' || Number.isSafeInteger(value)) &&
        value >= (min ?? value) &&
        value <= (max ?? value);
    if (isSound) return undefined;
    const range = [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])];
    const hint = typeof value === 'string' ? ' (the operator toNumber makes numbers of text)' : '';
    return invalidText(
        value,
        `allowed: ${[type === 'int' ? 'a whole number' : 'a number', ...range].join(', ')}${hint}`,
    );
}

const boundOf = (bound: unknown): number | undefined => (typeof bound === 'number' ? bound : undefined);

function choiceProblem({ ui }: ArgumentDefinition, value: JsonValue): string | undefined {
    const options: unknown = ui?.['options'];
    if (Array.isArray(options) && options.length > 0) {
        const allowed = options.map(option => (option as { readonly value?: unknown }).value);
        return allowed.includes(value)
            ? undefined
            : invalidText(value, `allowed: ${allowed.map(one => JSON.stringify(one)).join(', ')}`);
    }
    return typeof value === 'string' ? textProblem(value, undefined) : invalidText(value, 'allowed: text');
}

/** A value as Vendure stores it: text, a list as JSON of texts and numbers. */
export function storedValue({ list }: ArgumentDefinition, value: unknown): string {
    if (list !== true) return storedText(value);
    return JSON.stringify((value as readonly unknown[]).map(one => (typeof one === 'number' ? one : storedText(one))));
}

const storedText = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));
