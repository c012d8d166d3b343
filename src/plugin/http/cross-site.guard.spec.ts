import type { ExecutionContext } from '@nestjs/common';
import { Permission, PERMISSIONS_METADATA_KEY } from '@vendure/core';
import { CrossSiteGuard } from './cross-site.guard';
import { FeedsController } from './feeds.controller';
import { FilesController } from './files.controller';
import { RecordErrorsController } from './record-errors.controller';
import { RejectsController } from './rejects.controller';
import { WebhookController } from './webhook.controller';
import { FlowPlugin } from '../flow.plugin';

const CONTROLLERS = [FilesController, FeedsController, RecordErrorsController, RejectsController, WebhookController];

function codeOf(request: object): unknown {
    const context = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
    try {
        return new CrossSiteGuard().canActivate(context);
    } catch (error) {
        return (error as { code?: unknown }).code;
    }
}
const withCookie = (headers: Readonly<Record<string, string>>): object => ({
    headersDistinct: Object.fromEntries(
        Object.entries({ host: 'shop.example.com:3000', ...headers }).map(([name, value]) => [name, [value]]),
    ),
    hostname: 'shop.example.com',
    session: { token: 'of the user' },
});

describe('a request with the session cookie', () => {
    it.each<[string, Record<string, string>]>([
        ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
        ['another site that does not send its origin', { 'sec-fetch-site': 'cross-site' }],
        ['another site with an invalid bearer token', { 'sec-fetch-site': 'cross-site', authorization: 'Bearer x' }],
        ['a browser without Sec-Fetch-Site', { origin: 'https://evil.example' }],
        ['a host whose name starts in the same way', { origin: 'https://shop.example.com.evil.example' }],
        ['a sandboxed page', { origin: 'null' }],
        ['a site of an unknown kind', { 'sec-fetch-site': 'other' }],
    ])('is rejected from %s', (_, headers) => {
        expect(codeOf(withCookie(headers))).toBe('CROSS_SITE');
    });

    it.each<[string, Record<string, string>]>([
        ['the same origin', { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example.com:3000' }],
        ['another host of the site', { 'sec-fetch-site': 'same-site', origin: 'https://admin.example.com' }],
        ['the address bar', { 'sec-fetch-site': 'none' }],
        ['an old browser on the same host', { origin: 'http://shop.example.com:5173' }],
        ['a program that is not a browser', {}],
    ])('is accepted from %s', (_, headers) => {
        expect(codeOf(withCookie(headers))).toBe(true);
    });
});

it('a request without the cookie is accepted from anywhere', () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example', authorization: 'Bearer x' };
    expect(codeOf({ headers, hostname: 'shop.example.com', session: {} })).toBe(true);
});

it('every route that is not public checks where a request comes from', () => {
    expect(Reflect.getMetadata('controllers', FlowPlugin)).toEqual(expect.arrayContaining(CONTROLLERS));
    expect(Reflect.getMetadata('controllers', FlowPlugin)).toHaveLength(CONTROLLERS.length);
    for (const { prototype } of CONTROLLERS)
        for (const name of Object.getOwnPropertyNames(prototype)) {
            const route = (prototype as unknown as Record<string, object>)[name]!;
            if (name === 'constructor' || Reflect.getMetadata('path', route) === undefined) continue;
            const isPublic = (Reflect.getMetadata(PERMISSIONS_METADATA_KEY, route) as string[]).includes(
                Permission.Public,
            );
            const guards = (Reflect.getMetadata('__guards__', route) ?? []) as object[];
            expect([name, isPublic || guards.some(guard => guard instanceof CrossSiteGuard)]).toEqual([name, true]);
        }
});
