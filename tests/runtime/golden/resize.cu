// Y(i, j) = let(upper, X(max(min(index(let(y0, i32(floor(let(fy, (f32(i) + 0.5) * (f32(h) / f32(H)) - 0.5))))), h - 1), 0), max(min(index(let(x0, i32(floor(let(fx, (f32(j) + 0.5) * (f32(w) / f32(W)) - 0.5))))), w - 1), 0)) * (1.0 - let(dx, fx - f32(x0))) + X(max(min(index(y0), h - 1), 0), max(min(index(x0 + 1i32), w - 1), 0)) * dx) * (1.0 - let(dy, fy - f32(y0))) + let(lower, X(max(min(index(y0 + 1i32), h - 1), 0), max(min(index(x0), w - 1), 0)) * (1.0 - dx) + X(max(min(index(y0 + 1i32), h - 1), 0), max(min(index(x0 + 1i32), w - 1), 0)) * dx) * dy
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {4, 32});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
//
// launch: grid ((W + 31) / 32, (H + 3) / 4, 1), block (32, 4, 1), 0 bytes of shared memory

extern "C" __global__ void
resize(const float* __restrict__ X, float* __restrict__ Y, int H, int W, int h, int w) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < H && j < W) {
    const float fy = ((float)(i) + 0.5f) * ((float)(h) / (float)(H)) - 0.5f;
    const int y0_ = (int)(floorf(fy));
    const float fx = ((float)(j) + 0.5f) * ((float)(w) / (float)(W)) - 0.5f;
    const int x0 = (int)(floorf(fx));
    const float dx = fx - (float)(x0);
    const float upper = X[max(min(y0_, h - 1), 0) * w + max(min(x0, w - 1), 0)] * (1.0f - dx) + X[max(min(y0_, h - 1), 0) * w + max(min((int)((unsigned)x0 + 1u), w - 1), 0)] * dx;
    const float dy = fy - (float)(y0_);
    const float lower = X[max(min((int)((unsigned)y0_ + 1u), h - 1), 0) * w + max(min(x0, w - 1), 0)] * (1.0f - dx) + X[max(min((int)((unsigned)y0_ + 1u), h - 1), 0) * w + max(min((int)((unsigned)x0 + 1u), w - 1), 0)] * dx;
    Y[i * W + j] = upper * (1.0f - dy) + lower * dy;
  }
}
