import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { InFlight } from '../../../src/http/in-flight';

describe('requests in work', () => {
  const inFlight = new InFlight(3, 2);
  /** @returns a function that ends the request; null if the request was refused */
  const begin = (ip: string): (() => void) | null => {
    const response = new EventEmitter();
    try {
      inFlight.admit({ ip } as Request, response as unknown as Response, () => {});
    } catch {
      return null;
    }
    return () => void response.emit('close');
  };

  it('of one address leave places to other addresses, and an IPv6 network counts as one address', () => {
    const first = begin('2001:db8::1');
    expect(begin('2001:db8::2')).not.toBeNull();
    expect(begin('2001:db8::3')).toBeNull();
    const other = begin('192.0.2.1');
    expect([other === null, inFlight.count]).toEqual([false, 3]);
    expect(begin('192.0.2.2')).toBeNull();
    first?.();
    expect([inFlight.count, begin('192.0.2.2') === null, inFlight.count]).toEqual([2, false, 3]);
  });
});
