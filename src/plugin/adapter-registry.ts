import { Global, Injectable, Module } from '@nestjs/common';
import type { AdapterDefinition } from '../core/adapter/definition';
import { flowError } from '../core/errors/flow-error';
import { readAdapter, type OwnAdapter } from './options/own-adapters';
import type { FlowSetup } from './setup';

/** Where adapters come from that are registered at runtime, in messages. */
const ORIGIN = 'FlowAdapterRegistry.register';

/**
 * Takes adapters from other plugins while the server or the worker starts. A plugin injects it, without importing anything, and calls `register` in its
 * `onApplicationBootstrap` or earlier; Flow checks its pipelines after that.
 */
@Injectable()
export class FlowAdapterRegistry {
    private setup: FlowSetup | undefined;
    /** Registered before Flow itself was there. */
    private waiting: AdapterDefinition[] = [];
    private isClosed = false;

    /**
     * Makes an adapter known to pipelines, to the API and to the dashboard of this process. Call it on the server and on the worker. Throws ADAPTER_DUPLICATE for
     * a code that another adapter of its kind has, and ADAPTER_REFUSED for what is no adapter, or comes too late.
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

    /** Flow is there, whose registry takes them. */
    connect(setup: FlowSetup): void {
        this.setup = setup;
        for (const definition of this.waiting.splice(0)) add(setup, definition);
    }

    /** From here on nothing is registered: pipelines are checked with what there is. */
    close(): void {
        this.isClosed = true;
    }
}

function add(setup: FlowSetup, definition: AdapterDefinition): void {
    setup.registry = setup.registry.plus([definition], ORIGIN);
}

/** Lets every plugin inject the registry. */
@Global()
@Module({ providers: [FlowAdapterRegistry], exports: [FlowAdapterRegistry] })
export class AdapterRegistryModule {}
