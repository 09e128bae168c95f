import { recipientOf } from '../../dashboard/src/lib/recipient';

describe('the recipient of a form', () => {
  const [first, second] = ['d1', 'd2'].map((destinationId) => ({ destinationId, name: destinationId }));
  const all = first && second ? [first, second] : [];

  it('is addresses, whatever separates them, or a destination, and never both', () => {
    const form = { emails: 'a@x.example, b@x.example;\n c@x.example', destinationId: 'd2' };
    expect(recipientOf({ ...form, to: 'email' }, all)).toEqual({
      emails: ['a@x.example', 'b@x.example', 'c@x.example'],
      destinationId: null,
    });
    expect(recipientOf({ ...form, to: 'destination' }, all)).toEqual({ emails: null, destinationId: 'd2' });
  });

  it('is the first destination until one is chosen, and none where there is none', () => {
    const form = { to: 'destination', emails: '', destinationId: '' } as const;
    expect(recipientOf(form, all).destinationId).toBe('d1');
    expect(recipientOf(form, []).destinationId).toBeNull();
  });
});
