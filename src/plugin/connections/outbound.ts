import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type RequestingRun, OutboundGateway, type RunOutbound } from '../../io/outbound/gateway';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';

/** The only access of the server or worker to the network, with the hosts and ports that its options allow. */
@Injectable()
export class OutboundAccess implements BeforeApplicationShutdown {
    private readonly gateway: OutboundGateway;

    constructor(@Inject(FLOW_SETUP) { options }: FlowSetup) {
        const { allowedHostnames, allowedPorts, maxResponseBytes, ...security } = options.security;
        const rules = {
            unknownHostKeys: security.unknownHostKeys,
            cloudCredentials: security.cloudCredentialChain,
            maxFileBytes: security.maxRemoteFileBytes,
        };
        this.gateway = new OutboundGateway({ allowedHostnames, allowedPorts, maxResponseBytes, rules });
    }

    /** The access of one run. */
    forRun(run: RequestingRun): RunOutbound {
        return this.gateway.forRun(run);
    }

    /** Runs after every `onModuleDestroy`, in which runs finish their batches. A request that was aborted earlier would fail them. */
    async beforeApplicationShutdown(): Promise<void> {
        await this.gateway.close();
    }
}
