import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type RequestingRun, OutboundGateway, type RunOutbound } from '../../io/outbound/gateway';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';

/** The server's or worker's one door to the network, with the hosts and ports that its options allow. */
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

    /** As one run sees it. */
    forRun(run: RequestingRun): RunOutbound {
        return this.gateway.forRun(run);
    }

    /** After every `onModuleDestroy`, in which runs come to the end of their batches: a request broken off before would fail them. */
    async beforeApplicationShutdown(): Promise<void> {
        await this.gateway.close();
    }
}
