/** Where a service of this cloud is. The names of buckets below it belong to the same service. */
export function cloudEndpoint(service: 'sqs' | 's3', region: string): string {
    return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}
