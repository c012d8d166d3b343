/** The few calls of the demo, through the same admin API that all clients use. */
export class AdminApi {
    private token: string | undefined;

    constructor(readonly url: string) {}

    async login(username: string, password: string): Promise<void> {
        await this.ask('mutation($u: String!, $p: String!) { login(username: $u, password: $p) { __typename } }', {
            u: username,
            p: password,
        });
        if (this.token === undefined) throw new Error("The shop did not accept the demo's login.");
    }

    async ask<T>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<T> {
        const response = await fetch(this.url, {
            method: 'POST',
            headers: {
                'content-type': 'application/json',
                ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
            },
            body: JSON.stringify({ query, variables }),
        });
        this.token ??= response.headers.get('vendure-auth-token') ?? undefined;
        const { data, errors } = (await response.json()) as { data: T; errors?: ReadonlyArray<{ message: string }> };
        if (errors?.length) throw new Error(errors.map(error => error.message).join('\n'));
        return data;
    }

    /** Stores a file that is kept until a user deletes it. */
    async upload(filename: string, content: string): Promise<void> {
        const body = new FormData();
        body.append('persistent', 'true');
        body.append('file', new Blob([content], { type: 'text/csv' }), filename);
        const headers = { authorization: `Bearer ${this.token ?? ''}` };
        const response = await fetch(new URL('/flow/upload', this.url), { method: 'POST', headers, body });
        if (!response.ok) throw new Error(await response.text());
    }
}
