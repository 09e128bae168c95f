import { RefusedAddress } from '../../src/delivery/network-guard';
import { failureOf } from '../../src/delivery/outcome';

it.each([
  [new Error('read ECONNRESET'), { kind: 'failed', message: 'read ECONNRESET' }],
  [
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    { kind: 'failed', message: 'ECONNREFUSED' },
  ],
  ['a text', { kind: 'failed', message: 'a text' }],
  [new RefusedAddress('x is private'), { kind: 'failed', message: 'x is private', isOfInstance: true }],
])('an exception is a failure that says why: %s', (error, failure) => {
  expect(failureOf(error)).toEqual(failure);
});
