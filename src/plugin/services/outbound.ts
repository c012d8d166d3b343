import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { OutboundHttp } from '../../core/adapter/http';
import { OutboundDoor } from '../../io/outbound/http';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';

/** The server's or worker's one door to the network, with the hosts and ports that its options allow. */
@Injectable()
export class Outbound implements OnModuleDestroy {
    private readonly door: OutboundDoor;

    constructor(@Inject(FLOW_SETUP) { options }: FlowSetup) {
        const { allowedHostnames, allowedPorts } = options.security;
        this.door = new OutboundDoor({ allowedHostnames, allowedPorts });
    }

    /** As one run sees it. */
    forRun(run: { readonly scope: string; readonly rateLimitRps: number }): OutboundHttp {
        return this.door.forRun(run);
    }

    async onModuleDestroy(): Promise<void> {
        await this.door.close();
    }
}
