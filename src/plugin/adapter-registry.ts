import { Global, Injectable, Module } from '@nestjs/common';
import type { AdapterDefinition } from '../core/adapter/definition';
import { flowError } from '../core/errors/flow-error';
import { readAdapter, type OwnAdapter } from './options/own-adapters';
import type { FlowSetup } from './setup';

/** The origin of adapters that are registered at runtime, in messages. */
const ORIGIN = 'FlowAdapterRegistry.register';

/**
 * Registers adapters of other plugins while the server or the worker starts. A plugin injects it without importing anything, and calls
 * `register` in its `onApplicationBootstrap` or earlier. Flow checks its pipelines after that.
 */
@Injectable()
export class FlowAdapterRegistry {
    private setup: FlowSetup | undefined;
    /** Adapters that were registered before Flow itself was set up. */
    private waiting: AdapterDefinition[] = [];
    private isClosed = false;

    /**
     * Adds an adapter for the pipelines, the API and the dashboard of this process. Call it on the server and on the worker. Throws
     * ADAPTER_DUPLICATE for a code that another adapter of its kind has, and ADAPTER_REFUSED for a value that is not an adapter, or that is
     * registered too late.
     */
    register(adapter: OwnAdapter): void {
        const rejected = (problem: string): Error => flowError('ADAPTER_REFUSED', { problem });
        if (this.isClosed)
            throw rejected(
                'Flow has checked its pipelines already. Call register in onApplicationBootstrap or earlier',
            );
        let definition: AdapterDefinition;
        try {
            definition = readAdapter(adapter);
        } catch (error) {
            if (error instanceof TypeError) throw rejected(error.message);
            throw error;
        }
        if (this.setup) add(this.setup, definition);
        else this.waiting.push(definition);
    }

    /** Sets Flow's registry, and adds the waiting adapters to it. */
    connect(setup: FlowSetup): void {
        this.setup = setup;
        for (const definition of this.waiting.splice(0)) add(setup, definition);
    }

    /** Rejects further adapters, because pipelines are checked against the existing ones. */
    close(): void {
        this.isClosed = true;
    }
}

function add(setup: FlowSetup, definition: AdapterDefinition): void {
    setup.registry = setup.registry.plus([definition], ORIGIN);
}

/** Allows every plugin to inject the registry. */
@Global()
@Module({ providers: [FlowAdapterRegistry], exports: [FlowAdapterRegistry] })
export class AdapterRegistryModule {}
