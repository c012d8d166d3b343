import { Inject, Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asFlowError } from '../../core/errors/flow-error';
import { OutboundGateway } from '../../io/outbound/gateway';
import { setUp } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { OutboundAccess } from './outbound';

/** A server that responds when the test allows it. */
async function patientServer() {
    let answer: () => void = () => undefined;
    let came: () => void = () => undefined;
    const requested = new Promise<void>(resolve => (came = resolve));
    const server = createServer((_, response) => {
        answer = () => response.end('{}');
        came();
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return { url, asked: requested, answer: () => answer(), close: () => new Promise(done => server.close(done)) };
}

const request = (url: string) => ({
    url,
    method: 'PUT' as const,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
});

describe('a process that shuts down', () => {
    it('closes the network only after a waiting sink has received its response', async () => {
        const server = await patientServer();
        const outcome: unknown[] = [];

        @Injectable()
        class Worker implements OnModuleDestroy {
            sending: Promise<unknown> | undefined;

            constructor(@Inject(OutboundAccess) private readonly outbound: OutboundAccess) {}

            begin(): void {
                const { http } = this.outbound.forRun({ scope: 'run', rateLimitRps: 0 });
                this.sending = http.send(request(server.url)).then(
                    ({ status }) => outcome.push(status),
                    (error: unknown) => outcome.push(error),
                );
            }

            async onModuleDestroy(): Promise<void> {
                setTimeout(server.answer, 50);
                await this.sending;
            }
        }
        const options = { security: { allowedHostnames: ['127.0.0.1'] } };

        @Module({
            providers: [Worker, OutboundAccess, { provide: FLOW_SETUP, useFactory: () => setUp(options) }],
        })
        class App {}
        const app = await NestFactory.createApplicationContext(App, { logger: false });
        app.get(Worker).begin();
        await server.asked;
        await app.close();
        expect(outcome).toEqual([200]);
        await server.close();
    });

    it('reports aborted requests as temporary errors, not as bugs of Flow', async () => {
        const server = await patientServer();
        const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
        const sending = gateway.forRun({ scope: 'run', rateLimitRps: 0 }).http.send(request(server.url));
        const failed = sending.then(
            () => undefined,
            (error: unknown) => asFlowError(error).treat,
        );
        await server.asked;
        await gateway.close();
        expect(await failed).toBe('transient');
        server.answer();
        await server.close();
    });
});
