import { Inject, UseFilters } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { Allow } from '@vendure/core';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import type { FlowOptions } from '../options/options';
import { manageFlowConnectionsPermission } from '../permissions';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { ExpectedErrorsFilter } from './expected-errors.filter';

/** An option and its effective value. */
export interface Setting {
    readonly path: string;
    readonly value: JsonValue;
}

/** Returns the effective options. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class SettingsResolver {
    constructor(@Inject(FLOW_SETUP) private readonly setup: FlowSetup) {}

    @Query()
    @Allow(manageFlowConnectionsPermission.Permission)
    flowSettings(): readonly Setting[] {
        return settingsOf(this.setup.options);
    }
}

/** Lists the options by name, so that none is returned that may contain a secret: addresses with a password, credentials, values. */
function settingsOf(options: FlowOptions): readonly Setting[] {
    const { logging, runtime, security, files, definitions, records, webhooks, hooks, publishing, retention } = options;
    const { storage, maxFileSize, maxFiles } = files;
    const told = {
        registerBuiltinAdapters: options.registerBuiltinAdapters,
        logging,
        runtime,
        security,
        files: { storage: { type: storage.type }, maxFileSize, maxFiles },
        definitions,
        records,
        locking: options.locking,
        webhooks,
        hooks,
        publishing,
        retention,
    };
    return flattened('', told as unknown as JsonValue);
}

function flattened(path: string, value: JsonValue): readonly Setting[] {
    if (!isJsonObject(value)) return [{ path, value }];
    return Object.entries(value).flatMap(([name, inner]) => flattened(path === '' ? name : `${path}.${name}`, inner));
}
