import { awsEncode, awsHeaders } from '../../src/delivery/aws-signature';

const SIGNER = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
};

describe('the signature of AWS', () => {
  // The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
  it.each([
    ['lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
    // The order in which a query names its parameters is none of the signature.
    ['prefix=J&max-keys=2', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('of a request with the query %s is that of its documents', (query, signature) => {
    const url = new URL(`https://examplebucket.s3.amazonaws.com/?${query}`);
    const request = { method: 'GET', url, body: Buffer.alloc(0) };
    const { Authorization } = awsHeaders(SIGNER, request, new Date('2013-05-24T00:00:00.000Z'));
    expect(Authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
        `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    );
  });

  it('names the token of a session, which it signs', () => {
    const request = {
      method: 'GET',
      url: new URL('https://b.example/k'),
      body: { sha256: 'UNSIGNED-PAYLOAD' },
    };
    const at = new Date('2013-05-24T01:02:03.456Z');
    const headers = awsHeaders({ ...SIGNER, sessionToken: 't' }, request, at);
    expect(headers).toMatchObject({
      'x-amz-security-token': 't',
      'x-amz-date': '20130524T010203Z',
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    });
    expect(headers.Authorization).toContain(
      'SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,',
    );
  });

  it('encodes every character of a name but those that RFC 3986 leaves, and slashes', () => {
    expect(awsEncode("a/b c!'()*~-_.é+=&")).toBe('a/b%20c%21%27%28%29%2A~-_.%C3%A9%2B%3D%26');
  });
});
