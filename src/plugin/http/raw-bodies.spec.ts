import 'reflect-metadata';
import { Controller, type INestApplication, Module, Post, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import type { AddressInfo } from 'node:net';
import type { HttpRequest } from './exchange';
import { RawBodies } from './raw-bodies';
import { readJsonUpload } from './json-upload';
import { readWholeBody } from './whole-body';

@Controller('flow')
class Routes {
    @Post('webhook/:code')
    async webhook(@Req() request: HttpRequest): Promise<unknown> {
        const body = await readWholeBody(request, { what: 'body', maxBytes: 1024 * 1024 });
        return { body: body.toString(), authorization: request.headers['authorization'] ?? null };
    }

    @Post('upload')
    async upload(@Req() request: HttpRequest): Promise<unknown> {
        return { filename: (await readJsonUpload(request)).filename };
    }

    @Post('other')
    other(@Req() request: { readonly body?: unknown }): unknown {
        return { body: request.body };
    }
}

@Module({ controllers: [Routes], providers: [RawBodies] })
class Shop {}

/** Applies middleware as Vendure's `bootstrap` does. */
async function shopWith(route: string, handler: unknown): Promise<INestApplication> {
    const app = await NestFactory.create(Shop, { logger: false });
    app.use(route, handler);
    await app.listen(0, '127.0.0.1');
    return app;
}

describe("the shop's own body parsers", () => {
    const text = '{ "filename": "a.csv", "content": "YQ==" }';
    let app: INestApplication;
    afterEach(() => app.close());

    const post = async (path: string, headers: Record<string, string> = {}): Promise<unknown> => {
        const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
        const answer = await fetch(`http://127.0.0.1:${port}/flow/${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: text,
        });
        return answer.json();
    };

    it.each<[route: string, parser: string, handler: unknown]>([
        ['*splat', 'json', express.json({ limit: '10mb' })],
        ['/', 'json', express.json({ limit: '10mb' })],
        ['/', 'json with a small limit', express.json({ limit: 10 })],
        ['*splat', 'text of any type', express.text({ type: '*/*' })],
        ['/', 'raw, whatever the type', express.raw({ type: () => true })],
    ])('on %s leave webhook posts and uploads alone: %s', async (route, _, handler) => {
        app = await shopWith(route, handler);
        expect(await post('webhook/orders', { authorization: 'Bearer x' })).toEqual({
            body: text,
            authorization: null,
        });
        expect(await post('upload')).toEqual({ filename: 'a.csv' });
    });

    it('still read the bodies of all other routes', async () => {
        app = await shopWith('*splat', express.json({ limit: '10mb' }));
        expect(await post('other')).toEqual({ body: JSON.parse(text) as unknown });
    });
});
