import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../data/json';
import type { PipelineDefinition } from './definition';

/** The SHA-256 of a checked definition: equal for definitions that do the same, whatever the order of their keys. */
export function definitionDigest(definition: PipelineDefinition): string {
    return createHash('sha256')
        .update(canonicalJson(definition as unknown as JsonValue))
        .digest('hex');
}
