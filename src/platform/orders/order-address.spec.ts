import type { JsonObject } from '../../core/value/json';
import { RecordIssues } from '../entities/record-issues';
import { FieldReader } from '../entities/read-field';
import { readAddress } from './order-address';

const read = (address: JsonObject) => {
    const issues = new RecordIssues();
    const value = readAddress(new FieldReader({ shippingAddress: address }, issues), 'shippingAddress');
    return issues.count > 0 ? issues.error().details : value;
};

describe('the address of an order', () => {
    it('has whole numbers as text where a file has numbers', () => {
        const numbers = {
            company: 1,
            streetLine1: 2,
            streetLine2: 3,
            province: 4,
            postalCode: 20095,
            phoneNumber: 40123,
        };
        const texts = Object.entries(numbers).map(([name, value]) => [name, String(value)]);
        expect(read(numbers)).toEqual(Object.fromEntries(texts));
    });

    it.each<[string, JsonObject]>([
        ['a name', { fullName: 7 }],
        ['a fraction', { postalCode: 1.5 }],
        ['true', { phoneNumber: true }],
    ])('is rejected where text is expected: %s', (_, address) => {
        expect(read(address)).toMatchObject({ field: `shippingAddress.${Object.keys(address)[0]}` });
    });
});
